"""Linear, quadratic and regularised discriminant analysis as estimators, beyond what scikit-learn's tests ask."""

import pickle

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.base import clone
from sklearn.covariance import OAS
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import check_estimator

from textnb import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis, RegularizedDiscriminantAnalysis

X, numbers = load_iris(return_X_y=True)
y = load_iris().target_names[numbers]
ALL = [
    LinearDiscriminantAnalysis(),
    LinearDiscriminantAnalysis(solver="lsqr"),
    LinearDiscriminantAnalysis(solver="eigen"),
    QuadraticDiscriminantAnalysis(),
    QuadraticDiscriminantAnalysis(solver="eigen"),
    RegularizedDiscriminantAnalysis(),
    RegularizedDiscriminantAnalysis(alpha=0.5, gamma=0.1),
]
every_model = pytest.mark.parametrize("model", [clone(model) for model in ALL], ids=repr)


def class_scatter(k):
    rows = X[numbers == k] - X[numbers == k].mean(axis=0)
    return rows.T @ rows


# solver="lsqr" has no transform, as in scikit-learn, whose checks ask every transformer for one.
@pytest.mark.parametrize("model", [model for model in ALL if "lsqr" not in repr(model)], ids=repr)
@pytest.mark.filterwarnings("ignore")
def test_every_check_of_scikit_learn_passes(model):
    results = check_estimator(model, expected_failed_checks={}, on_fail=None)
    assert {r["check_name"]: r["exception"] for r in results if r["status"] == "failed"} == {}
    assert len(results) > 40


@every_model
def test_discriminant_functions_decide_as_the_model_does(model):
    model.fit(X, y)
    functions = model.discriminant_functions()
    np.testing.assert_array_equal(model.classes_[functions(X).argmax(axis=1)], model.predict(X))
    boundary = model.boundary("setosa", "virginica")
    quadratic = 0 if boundary.quadratic is None else np.einsum("ni,ij,nj->n", X, boundary.quadratic, X)
    log_odds = model.predict_joint_log_proba(X) @ [1, 0, -1]
    np.testing.assert_allclose(boundary.constant + X @ boundary.linear + quadratic, log_odds, rtol=1e-8)


@every_model
def test_likelihood_is_the_density_of_the_classes(model):
    model = clone(model)
    if isinstance(model, LinearDiscriminantAnalysis | QuadraticDiscriminantAnalysis):
        model.set_params(store_covariance=True)
    model.fit(X, y)
    covariances = np.broadcast_to(model.covariance_, (3, 4, 4))
    expected = [multivariate_normal(m, spread).logpdf(X) for m, spread in zip(model.means_, covariances, strict=True)]
    np.testing.assert_allclose(model.log_likelihood(X), np.transpose(expected), rtol=1e-9)


@every_model
def test_posterior_is_likelihood_times_prior(model):
    model.fit(X, y)
    joint = np.exp(model.log_likelihood(X)) * model.priors_
    np.testing.assert_allclose(model.predict_proba(X), joint / joint.sum(axis=1, keepdims=True), rtol=1e-8, atol=1e-300)


@every_model
def test_samples_come_with_their_classes_and_can_be_repeated(model):
    model.fit(X, y)
    rows, labels = model.sample(200, random_state=3)
    again, _ = model.sample(200, random_state=3)
    assert rows.shape == (200, 4)
    assert set(labels) == set(y)
    np.testing.assert_array_equal(rows, again)
    assert model.score(rows, labels) > 0.9


@every_model
def test_pickling_keeps_everything(model):
    model.fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


@every_model
def test_nothing_is_answered_before_fitting(model):
    model = clone(model)
    for ask in (model.predict, model.log_likelihood, model.decision_function):
        with pytest.raises(NotFittedError):
            ask(X)
    with pytest.raises(NotFittedError):
        model.discriminant_functions()
    with pytest.raises(NotFittedError):
        model.boundary("setosa", "virginica")
    with pytest.raises(NotFittedError):
        model.sample(1)


@every_model
def test_unknown_classes_have_no_boundary(model):
    with pytest.raises(ValueError, match="unknown class 'rose': the classes are"):
        model.fit(X, y).boundary("setosa", "rose")


@every_model
def test_a_failed_fit_leaves_the_model_as_it_was(model):
    model.fit(X, y)
    before = model.predict_proba(X)
    with pytest.raises(ValueError):
        model.fit(X[:, :2], np.full(len(X), np.nan))
    np.testing.assert_array_equal(model.predict_proba(X), before)


class TestDegreesOfFreedom:
    within = sum(class_scatter(k) for k in range(3))

    @pytest.mark.parametrize("solver", ["svd", "lsqr", "eigen"])
    def test_linear_divides_by_n_less_k(self, solver):
        biased, model = (
            LinearDiscriminantAnalysis(solver=solver, store_covariance=True, ddof=ddof).fit(X, y) for ddof in (0, 1)
        )
        np.testing.assert_allclose(model.covariance_, self.within / 147, rtol=1e-10)
        np.testing.assert_allclose(biased.covariance_, self.within / 150, rtol=1e-10)
        np.testing.assert_allclose(model.coef_, biased.coef_ * 147 / 150, rtol=1e-10)
        if solver != "lsqr":
            np.testing.assert_allclose(model.explained_variance_ratio_, biased.explained_variance_ratio_)
            inner = model.scalings_.T @ model.covariance_ @ model.scalings_
            np.testing.assert_allclose(inner, np.eye(len(inner)), atol=1e-9)

    @pytest.mark.parametrize("solver", ["svd", "eigen"])
    def test_quadratic_divides_by_n_less_one(self, solver):
        model = QuadraticDiscriminantAnalysis(solver=solver, store_covariance=True, ddof=1).fit(X, y)
        for k in range(3):
            np.testing.assert_allclose(model.covariance_[k], class_scatter(k) / 49, rtol=1e-9)

    def test_regularized_blends_the_two(self):
        model = RegularizedDiscriminantAnalysis(alpha=0.25, gamma=0.2, ddof=1).fit(X, y)
        for k in range(3):
            blend = 0.25 * class_scatter(k) / 49 + 0.75 * self.within / 147
            np.testing.assert_allclose(model.covariance_[k], 0.8 * blend + 0.2 * np.trace(blend) / 4 * np.eye(4))

    def test_too_few_samples_are_refused(self):
        few = np.array([[0.0], [1.0], [3.0]]), ["a", "a", "b"]
        with pytest.raises(ValueError, match="X has too few samples for this ddof: 3 less 4 leaves none"):
            LinearDiscriminantAnalysis(ddof=2).fit(*few)
        with pytest.raises(ValueError, match="class b has too few samples for this ddof"):
            RegularizedDiscriminantAnalysis(alpha=0.5, ddof=1).fit(*few)
        assert RegularizedDiscriminantAnalysis(alpha=0, ddof=1).fit(*few).predict([[3.1]]).tolist() == ["b"]


class TestGivenParameters:
    means = np.array([[0.0, 0.0], [2.0, 1.0]])
    covariance = np.array([[1.0, 0.3], [0.3, 2.0]])

    @pytest.mark.parametrize(
        "end", [LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis, RegularizedDiscriminantAnalysis]
    )
    def test_covariance_and_precision_are_two_ways_to_say_one_thing(self, end):
        ways = ({"covariance": self.covariance}, {"precision": np.linalg.inv(self.covariance)})
        first, second = (end.from_parameters(means=self.means, priors=[0.3, 0.7], **way) for way in ways)
        rows = np.random.default_rng(0).normal(size=(10, 2))
        np.testing.assert_allclose(first.predict_proba(rows), second.predict_proba(rows))
        np.testing.assert_allclose(first.log_likelihood(rows), second.log_likelihood(rows))
        expected = multivariate_normal(self.means[1], self.covariance).logpdf(rows)
        np.testing.assert_allclose(first.log_likelihood(rows)[:, 1], expected)

    @pytest.mark.parametrize(
        "model",
        [
            LinearDiscriminantAnalysis(solver="lsqr"),
            QuadraticDiscriminantAnalysis(store_covariance=True),
            RegularizedDiscriminantAnalysis(),
        ],
        ids=repr,
    )
    def test_what_was_fitted_can_be_given(self, model):
        model.fit(X, y)
        order = [2, 0, 1]
        spread = model.covariance_ if np.ndim(model.covariance_) == 2 else np.array(model.covariance_)[order]
        given = type(model).from_parameters(
            means=model.means_[order], covariance=spread, priors=model.priors_[order], classes=model.classes_[order]
        )
        np.testing.assert_array_equal(given.classes_, model.classes_)
        np.testing.assert_allclose(given.predict_proba(X), model.predict_proba(X), rtol=1e-8, atol=1e-300)
        np.testing.assert_allclose(given.decision_function(X), model.decision_function(X), rtol=1e-8)

    def test_regularized_pools_by_the_priors(self):
        spreads = np.array([self.covariance, np.eye(2)])
        model = RegularizedDiscriminantAnalysis.from_parameters(
            means=self.means, covariance=spreads, priors=[0.25, 0.75], alpha=0.0
        )
        np.testing.assert_allclose(model.covariance_[0], 0.25 * spreads[0] + 0.75 * spreads[1])

    def test_fitting_replaces_them(self):
        model = LinearDiscriminantAnalysis.from_parameters(means=self.means, covariance=self.covariance)
        np.testing.assert_allclose(
            model.fit(X, y).predict_proba(X), LinearDiscriminantAnalysis().fit(X, y).predict_proba(X)
        )

    @pytest.mark.parametrize(
        ("wrong", "message"),
        [
            ({}, "Give either covariance or precision"),
            ({"covariance": np.eye(2), "precision": np.eye(2)}, "Give either covariance or precision"),
            (
                {"covariance": np.eye(3)},
                r"must have the shape \(2, 2\), or \(2, 2, 2\) for one per class, got \(3, 3\)",
            ),
            ({"covariance": [[1, 0.5], [0, 1]]}, "must be symmetric"),
            ({"covariance": np.eye(2), "classes": ["a", "a"]}, "2 different labels"),
            ({"covariance": np.eye(2), "priors": [0.2, 0.3, 0.5]}, "Number of priors must match number of classes"),
            ({"covariance": np.eye(2), "priors": [-0.5, 1.5]}, "priors must be non-negative"),
            ({"covariance": [[1, 2], [2, 1]]}, "covariance matrix of class 0 is not full rank"),
            ({"precision": np.zeros((2, 2))}, "The given precision is singular"),
        ],
    )
    def test_nonsense_is_refused(self, wrong, message):
        with pytest.raises(ValueError, match=message):
            QuadraticDiscriminantAnalysis.from_parameters(means=self.means, **wrong)

    def test_a_linear_model_takes_one_covariance(self):
        with pytest.raises(ValueError, match="share one covariance"):
            LinearDiscriminantAnalysis.from_parameters(means=self.means, covariance=np.stack([np.eye(2)] * 2))

    def test_what_has_no_density_has_neither_likelihood_nor_samples(self):
        with pytest.warns(UserWarning, match="not positive definite"):
            model = LinearDiscriminantAnalysis.from_parameters(means=self.means, precision=[[1, 2], [2, 1]])
        assert model.predict(self.means).shape == (2,)
        for ask in (lambda: model.log_likelihood(self.means), lambda: model.sample(3)):
            with pytest.raises(np.linalg.LinAlgError, match="no density has that shape"):
                ask()


class TestSingularCovariances:
    repeated = np.column_stack([X, X[:, 0]])

    @pytest.mark.parametrize("solver", ["svd", "lsqr"])
    def test_linear_warns_and_decides_as_without_the_repetition(self, solver):
        with pytest.warns(UserWarning, match="its rank is 4, of 5 features"):
            model = LinearDiscriminantAnalysis(solver=solver).fit(self.repeated, y)
        expected = LinearDiscriminantAnalysis().fit(X, y).predict_proba(X)
        np.testing.assert_allclose(model.predict_proba(self.repeated), expected, rtol=1e-8, atol=1e-300)
        with pytest.raises(
            np.linalg.LinAlgError, match=r"singular covariance has no density|no density has that shape"
        ):
            model.log_likelihood(self.repeated)

    def test_samples_repeat_what_the_data_repeat(self):
        with pytest.warns(UserWarning, match="its rank is 4, of 5 features"):
            model = LinearDiscriminantAnalysis().fit(self.repeated, y)
        rows, _ = model.sample(20, random_state=0)
        np.testing.assert_allclose(rows[:, 0], rows[:, 4])

    @pytest.mark.parametrize(
        "model",
        [
            LinearDiscriminantAnalysis(solver="eigen"),
            QuadraticDiscriminantAnalysis(),
            QuadraticDiscriminantAnalysis(solver="eigen"),
            RegularizedDiscriminantAnalysis(),
            RegularizedDiscriminantAnalysis(alpha=0.5),
        ],
        ids=repr,
    )
    def test_others_refuse_and_say_what_to_do(self, model):
        with pytest.raises(np.linalg.LinAlgError, match=r"not full rank.*(shrinkage|reg_param|gamma)"):
            model.fit(self.repeated, y)

    def test_gamma_makes_them_regular(self):
        assert RegularizedDiscriminantAnalysis(gamma=0.01).fit(self.repeated, y).score(self.repeated, y) > 0.95

    def test_units_make_no_covariance_singular(self):
        units = np.array([1e-6, 1.0, 1e6, 1e3])
        model = RegularizedDiscriminantAnalysis(alpha=0.5).fit(X * units, y)
        expected = RegularizedDiscriminantAnalysis(alpha=0.5).fit(X, y).predict_proba(X)
        np.testing.assert_allclose(model.predict_proba(X * units), expected, rtol=1e-8, atol=1e-300)

    def test_classes_without_any_spread_are_refused(self):
        with pytest.raises(np.linalg.LinAlgError, match="no feature varies within the classes"):
            LinearDiscriminantAnalysis().fit([[0.1], [0.1], [5], [5]], ["a", "a", "b", "b"])


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (LinearDiscriminantAnalysis(solver="qr"), "solver must be one of 'svd', 'lsqr', 'eigen', got 'qr'"),
        (LinearDiscriminantAnalysis(solver="lsqr", shrinkage=2), "shrinkage must be a number, from 0 to 1, got 2"),
        (LinearDiscriminantAnalysis(solver="lsqr", shrinkage="much"), "shrinkage must be a number"),
        (LinearDiscriminantAnalysis(n_components=1.5), "n_components must be an integer, 1 or more, got 1.5"),
        (LinearDiscriminantAnalysis(ddof=-1), "ddof must be a number, 0 or more, got -1"),
        (LinearDiscriminantAnalysis(solver="lsqr", covariance_estimator=OAS(), ddof=1), "ddof does not apply"),
        (LinearDiscriminantAnalysis(priors=[0.5, 0.5]), "Number of priors must match number of classes. Got 2 for 3"),
        (QuadraticDiscriminantAnalysis(solver="lsqr"), "solver must be one of 'svd', 'eigen'"),
        (QuadraticDiscriminantAnalysis(reg_param=-0.1), "reg_param must be a number, from 0 to 1"),
        (QuadraticDiscriminantAnalysis(priors=[-1, 1, 1]), "priors must be non-negative"),
        (QuadraticDiscriminantAnalysis(tol=-1), "tol must be a number, 0 or more"),
        (RegularizedDiscriminantAnalysis(alpha=1.1), "alpha must be a number, from 0 to 1, got 1.1"),
        (RegularizedDiscriminantAnalysis(gamma=None), "gamma must be a number, from 0 to 1, got None"),
    ],
    ids=str,
)
def test_parameters_that_make_no_sense_are_refused(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit(X, y)


def test_a_given_covariance_estimator_is_not_fitted_itself():
    estimator = OAS()
    model = LinearDiscriminantAnalysis(solver="eigen", covariance_estimator=estimator).fit(X, y)
    assert not hasattr(estimator, "covariance_")
    expected = sum(OAS().fit(X[numbers == k]).covariance_ / 3 for k in range(3))
    np.testing.assert_allclose(model.covariance_, expected)


def test_another_solver_leaves_nothing_of_the_first():
    model = LinearDiscriminantAnalysis().fit(X, y)
    model.set_params(solver="lsqr").fit(X, y)
    assert not hasattr(model, "xbar_")
    assert not hasattr(model, "explained_variance_ratio_")
    with pytest.raises(NotImplementedError, match="transform not implemented for 'lsqr'"):
        model.transform(X)


def test_components_have_names_in_a_frame():
    frame = LinearDiscriminantAnalysis(n_components=1).set_output(transform="pandas").fit_transform(X, y)
    assert list(frame.columns) == ["lineardiscriminantanalysis0"]


def test_means_on_a_line_have_one_component():
    random = np.random.default_rng(0)
    rows = random.normal(size=(20, 3))
    on_a_line = np.vstack([rows + shift for shift in (0, 5, 10)])
    model = LinearDiscriminantAnalysis().fit(on_a_line, np.repeat([0, 1, 2], 20))
    assert model.transform(on_a_line).shape == (60, 1)
    assert model.get_feature_names_out().tolist() == ["lineardiscriminantanalysis0"]


@every_model
def test_values_whose_squares_overflow_are_refused(model):
    with pytest.raises(ValueError, match="scale X down"):
        model.fit(X * 1e200, y)


def test_one_class_is_no_choice():
    model = LinearDiscriminantAnalysis().fit(X[:50], y[:50])
    assert set(model.predict(X)) == {"setosa"}
    with pytest.raises(ValueError, match="number of classes has to be greater than one"):
        RegularizedDiscriminantAnalysis().fit(X[:50], y[:50])


def test_a_class_that_the_prior_rules_out_is_never_chosen():
    model = QuadraticDiscriminantAnalysis(priors=[0, 0.5, 0.5]).fit(X, y)
    assert "setosa" not in model.predict(X)
    assert np.isfinite(model.predict_proba(X)).all()


def test_regularization_can_be_searched():
    search = GridSearchCV(RegularizedDiscriminantAnalysis(), {"alpha": [0, 0.5, 1], "gamma": [0, 0.2]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.95
