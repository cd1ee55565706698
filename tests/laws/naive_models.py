"""The count models as loops over their definitions, in Python's own numbers: slow, plain, and nothing to vectorise."""

import math


def log(value: float) -> float:
    return math.log(value) if value > 0 else -math.inf


def times_log(factor: float, probability: float) -> float:
    """factor · log(probability), with 0 · log 0 = 0: what did not happen need not be possible."""
    return factor * log(probability) if factor else 0.0


class Counted:
    """N_cj and N_c, weighted; alpha as one number a feature."""

    def __init__(self, X, y, weights, alpha):
        self.classes = sorted(set(y))
        self.columns = range(len(X[0]))
        rows = list(zip(X, y, weights, strict=True))
        self.totals = [[sum(w * x[j] for x, k, w in rows if k == c) for j in self.columns] for c in self.classes]
        self.documents = [sum(w for _, k, w in rows if k == c) for c in self.classes]
        self.alpha = alpha if isinstance(alpha, list) else [alpha for _ in self.columns]


def log_priors(seen: Counted, learned: bool, given) -> list[float]:
    if given is not None:
        return [log(p) for p in given]
    if learned:
        return [log(n / sum(seen.documents)) for n in seen.documents]
    return [log(1 / len(seen.classes)) for _ in seen.classes]


def multinomial(seen: Counted, row) -> list[float]:
    """Σ_j x_j log θ_cj, θ_cj = (N_cj + α_j) / Σ_j (N_cj + α_j)."""
    scores = []
    for totals in seen.totals:
        mass = sum(totals[j] + seen.alpha[j] for j in seen.columns)
        theta = [(totals[j] + seen.alpha[j]) / mass if mass else 0.0 for j in seen.columns]
        scores.append(sum(times_log(row[j], theta[j]) for j in seen.columns))
    return scores


def bernoulli(seen: Counted, row) -> list[float]:
    """Σ_j x_j log p_cj + (1 − x_j) log(1 − p_cj), p_cj = (n_cj + α_j) / (N_c + 2 α_j); of no documents, p_cj = 0."""
    scores = []
    for present, documents in zip(seen.totals, seen.documents, strict=True):
        score = 0.0
        for j in seen.columns:
            mass = documents + 2 * seen.alpha[j]
            has = (present[j] + seen.alpha[j]) / mass if mass else 0.0
            has_not = (documents - present[j] + seen.alpha[j]) / mass if mass else 1.0
            score += times_log(row[j], has) + times_log(1 - row[j], has_not)
        scores.append(score)
    return scores


def complement(seen: Counted, row, norm: bool) -> list[float]:
    """Σ_j x_j w_cj, w_cj = −log((N_j − N_cj + α_j) / Σ_j (N_j − N_cj + α_j)), divided by Σ_j |w_cj| if normalised."""
    scores = []
    for c in range(len(seen.classes)):
        rest = complement_counts(seen, c)
        weights = [-math.log(value / sum(rest)) for value in rest]
        length = sum(abs(w) for w in weights) if norm else 1.0
        scores.append(sum(row[j] * weights[j] / length for j in seen.columns) if length else 0.0)
    return scores


def complement_counts(seen: Counted, c: int) -> list[float]:
    others = [totals for k, totals in enumerate(seen.totals) if k != c]
    return [sum(totals[j] for totals in others) + seen.alpha[j] for j in seen.columns]


def posterior(joint, log_prior) -> list[float]:
    """P(c | x) by Bayes' rule; the prior, where no class is possible."""
    possible = joint if max(joint) > -math.inf else log_prior
    masses = [math.exp(value - max(possible)) for value in possible]
    return [mass / sum(masses) for mass in masses]
