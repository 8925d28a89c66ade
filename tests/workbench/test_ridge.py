import numpy as np

from babysitter.workbench.ridge import SparseRows, solve_ridge

ROWS = [[0, 2], [1], [], [0, 1, 3], [2, 3], [3]]
VALUES = [0.5, 1.0, 1.0, 0.4, 0.7, 2.0]
WANTED = np.array([[1.0, 0], [0, 1], [0, 0], [1, 0], [0, 1], [1, 1]])


def dense():
    matrix = np.zeros((len(ROWS), 5))
    for row, (columns, value) in enumerate(zip(ROWS, VALUES, strict=True)):
        matrix[row, columns] = value
    return matrix


def test_products_are_those_of_the_whole_matrix():
    sparse, weights = SparseRows(ROWS, VALUES, 5), np.arange(10.0).reshape(5, 2)
    assert np.allclose(sparse.times(weights), dense() @ weights)
    assert np.allclose(sparse.transposed_times(WANTED), dense().T @ WANTED)


def test_the_solution_is_that_of_the_normal_equations():
    whole = dense()
    exact = np.linalg.solve(whole.T @ whole + 0.3 * np.eye(5), whole.T @ WANTED)
    assert np.allclose(solve_ridge(SparseRows(ROWS, VALUES, 5), WANTED, 0.3), exact, atol=1e-3)


def test_a_label_that_nothing_has_gets_no_weight():
    weights = solve_ridge(SparseRows(ROWS, VALUES, 5), np.zeros((6, 1)), 0.3)
    assert not weights.any()
