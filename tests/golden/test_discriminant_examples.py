"""The worked examples of the lecture notes on discriminant analysis: their data in, their numbers out."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from textnb import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis, RegularizedDiscriminantAnalysis

BALANCE = np.array([[500], [1980], [60], [2810], [1400], [300], [2000], [940], [1630], [2170]])
DEFAULT = np.array(list("NYNYNNYNYY"))


def gaussian_classes(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Three classes in the plane, n rows each, of different shapes."""
    random = np.random.default_rng(seed)
    shapes = [([0, 0], [[1, 0.5], [0.5, 1]]), ([3, 1], [[1, -0.6], [-0.6, 2]]), ([0, 4], [[2, 0], [0, 0.5]])]
    X = np.vstack([random.multivariate_normal(mean, spread, size=n) for mean, spread in shapes])
    return X, np.repeat(["a", "b", "c"], n)


class TestFinalExamOfMay2019:
    """Q4(c): means, an inverse covariance and priors are given. It is not positive definite, of which textnb warns."""

    @pytest.fixture
    def model(self):
        with pytest.warns(UserWarning, match="not positive definite"):
            return LinearDiscriminantAnalysis.from_parameters(
                means=[[73.9, 68.2, 63.7], [51.4, 42.3, 35.6]],
                precision=[[0.0022, 0.0132, 0.0095], [0.0132, 0.0074, 0.0108], [0.0095, 0.0108, 0.0180]],
                priors=[0.76, 0.24],
                classes=["pass", "fail"],
            )

    def test_discriminants_of_the_student(self, model):
        assert model.classes_.tolist() == ["fail", "pass"]
        scores = model.discriminant_functions()(np.array([[55.7, 49.8, 52.6]]))
        np.testing.assert_allclose(scores, [[123.4746, 118.6826]], atol=5e-5)
        assert model.predict([[55.7, 49.8, 52.6]]).tolist() == ["fail"]

    def test_coefficients_on_the_slide(self, model):
        linear = model.discriminant_functions().linear
        np.testing.assert_allclose(linear, [[1.0096, 1.3760, 1.5859], [1.6680, 2.1681, 2.5852]], atol=5e-5)

    def test_constants_of_the_slide_lack_the_factor_one_half(self, model):
        constant = model.discriminant_functions().constant - np.log([0.24, 0.76])
        np.testing.assert_allclose(2 * constant, [-166.5589, -435.8066], atol=5e-5)


class TestCreditCardDefault:
    """Examples 8.8.3 and 8.8.4: one predictor, the covariance divided by n − K."""

    @pytest.fixture(params=["svd", "lsqr", "eigen"])
    def model(self, request):
        return LinearDiscriminantAnalysis(solver=request.param, ddof=1).fit(BALANCE, DEFAULT)

    def test_discriminant_functions(self, model):
        functions = model.discriminant_functions()
        np.testing.assert_allclose(functions.constant, [-1.559164, -10.177732], atol=5e-7)
        np.testing.assert_allclose(functions.linear, [[0.002706303], [0.008956171]], atol=5e-10)
        np.testing.assert_allclose(functions(np.array([[1500]])), [[2.500290, 3.256524]], atol=5e-7)

    def test_prediction_and_boundary(self, model):
        assert model.predict([[1500]]).tolist() == ["Y"]
        np.testing.assert_allclose(model.boundary("N", "Y").points, [1379], rtol=1e-12)
        assert model.predict([[1378.999], [1379.001]]).tolist() == ["N", "Y"]


class TestRegularizedEndpoints:
    """α Σ_c + (1 − α) Σ: α = 0 classifies as linear, α = 1 as quadratic discriminant analysis."""

    grid = np.stack(np.meshgrid(np.linspace(-4, 7, 60), np.linspace(-4, 8, 60)), axis=-1).reshape(-1, 2)

    @pytest.mark.parametrize("ddof", [0, 1])
    @pytest.mark.parametrize(
        ("alpha", "end"),
        [(0, LinearDiscriminantAnalysis), (1, QuadraticDiscriminantAnalysis)],
        ids=["linear", "quadratic"],
    )
    def test_endpoint(self, alpha, end, ddof):
        X, y = gaussian_classes(50)
        ours = RegularizedDiscriminantAnalysis(alpha=alpha, ddof=ddof).fit(X, y)
        other = end(ddof=ddof).fit(X, y)
        np.testing.assert_array_equal(ours.predict(self.grid), other.predict(self.grid))
        np.testing.assert_allclose(ours.predict_proba(self.grid), other.predict_proba(self.grid), atol=1e-12)

    def test_the_endpoints_differ(self):
        X, y = gaussian_classes(50)
        linear, quadratic = (RegularizedDiscriminantAnalysis(alpha=alpha).fit(X, y) for alpha in (0, 1))
        assert (linear.predict(self.grid) != quadratic.predict(self.grid)).mean() > 0.05


def expanded(X):
    a, b = X.T
    return np.column_stack([a, b, a * b, a * a, b * b])


@pytest.mark.parametrize("seed", range(5))
def test_linear_on_the_expanded_basis_is_almost_quadratic(seed):
    """Of round classes, one wider than the other. The more shapes differ, the less the two models agree."""
    random = np.random.default_rng(seed)
    X = np.vstack([random.normal([0, 0], 1, size=(500, 2)), random.normal([3, 0], np.sqrt(1.5), size=(500, 2))])
    y = np.repeat(["narrow", "wide"], 500)
    grid = np.stack(np.meshgrid(*np.linspace(X.min(axis=0), X.max(axis=0), 100).T), axis=-1).reshape(-1, 2)
    linear = LinearDiscriminantAnalysis().fit(expanded(X), y).predict(expanded(grid))
    quadratic = QuadraticDiscriminantAnalysis().fit(X, y).predict(grid)
    assert (linear == quadratic).mean() >= 0.98
    plain = LinearDiscriminantAnalysis().fit(X, y).predict(grid)
    assert (linear == quadratic).mean() > (plain == quadratic).mean()


class TestModelsProduceData:
    """100,000 samples, refitted, give every parameter back within 4 standard errors."""

    n = 100_000
    means = np.array([[0.0, 0.0, 1.0], [2.0, 1.0, 0.0], [-1.0, 3.0, 2.0]])
    covariances = np.array(
        [
            [[1.0, 0.5, 0.0], [0.5, 2.0, 0.3], [0.0, 0.3, 0.5]],
            [[2.0, -0.4, 0.2], [-0.4, 1.0, 0.0], [0.2, 0.0, 3.0]],
            [[0.7, 0.1, 0.1], [0.1, 0.9, -0.2], [0.1, -0.2, 1.1]],
        ]
    )
    priors = np.array([0.2, 0.5, 0.3])

    def check(self, refitted, covariances, degrees):
        """`covariances` of the classes, those that were refitted first, each over as many degrees of freedom."""
        assert (abs(refitted.priors_ - self.priors) < 4 * np.sqrt(self.priors * (1 - self.priors) / self.n)).all()
        variances = np.diagonal(covariances, axis1=1, axis2=2)
        assert (
            abs(refitted.means_ - self.means) < 4 * np.sqrt(variances / (self.n * self.priors)[:, np.newaxis])
        ).all()
        found = np.reshape(refitted.covariance_, (-1, 3, 3))
        assert len(found) == len(degrees)
        for spread, estimate, n in zip(covariances, found, degrees, strict=False):
            error = np.sqrt((spread**2 + np.outer(np.diag(spread), np.diag(spread))) / n)
            assert (abs(estimate - spread) < 4 * error).all()

    def test_linear(self):
        model = LinearDiscriminantAnalysis.from_parameters(
            means=self.means, covariance=self.covariances[0], priors=self.priors
        )
        X, y = model.sample(self.n, random_state=0)
        shared = np.repeat(self.covariances[:1], 3, axis=0)
        self.check(LinearDiscriminantAnalysis(store_covariance=True).fit(X, y), shared, [self.n])

    @pytest.mark.parametrize(
        ("model", "again"),
        [
            (QuadraticDiscriminantAnalysis, QuadraticDiscriminantAnalysis(store_covariance=True)),
            (RegularizedDiscriminantAnalysis, RegularizedDiscriminantAnalysis()),
        ],
        ids=["quadratic", "regularized"],
    )
    def test_quadratic(self, model, again):
        given = model.from_parameters(means=self.means, covariance=self.covariances, priors=self.priors)
        X, y = given.sample(self.n, random_state=0)
        self.check(again.fit(X, y), self.covariances, self.n * self.priors)


class TestNaiveBayesAgainstLogisticRegression:
    """Ng & Jordan 2002 on 15 data sets, as benchmarks/ng_jordan.py has measured it."""

    @pytest.fixture
    def data_sets(self):
        results = Path(__file__).parents[2] / "benchmarks" / "results" / "ng_jordan.json"
        return json.loads(results.read_text(encoding="utf-8"))["data_sets"]

    def test_every_set_says_who_leads_at_a_tenth_and_at_all_of_the_data(self, data_sets):
        assert len(data_sets) == 15
        for found in data_sets.values():
            curves = found["models"]["naive Bayes"]
            assert len(curves["lead"]) == len(curves["lead_standard_error"]) == len(found["sizes"])
            assert re.search(
                r"at (10 %|the smallest size) .* by .* ± .* points; at 100 % .* by .* ± .* points",
                found["finding"]["naive Bayes"],
            )

    @pytest.mark.parametrize("name", ["pima", "adult (continuous)", "adult (discrete)", "promoters", "sick"])
    def test_the_curves_cross_where_the_finding_holds(self, data_sets, name):
        lead = np.array(data_sets[name]["models"]["naive Bayes"]["lead"])
        error = np.array(data_sets[name]["models"]["naive Bayes"]["lead_standard_error"])
        assert (lead > 3 * error).any()
        assert lead[-1] < -3 * error[-1]
