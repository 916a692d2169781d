import math
import pickle
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array, csr_array

from wayfare.errors import InvalidInput
from wayfare.space import Choice, Integer, Places, Real, Space
from wayfare.study.study import Study
from wayfare.testing.travel import TravelCostContract
from wayfare.travel import Euclidean, Network

from .oracle import dijkstra

ROADS = [("mill", "bridge", 4), ("bridge", "quarry", 7), ("bridge", "ford", 3.5), ("mill", "quarry", 20)]
RIVER = [("spring", "lock", 2), ("lock", "sea", 5), ("sea", "lock", 9), ("lock", "spring", 4)]
SITES = Space(Choice("site", ["mill", "quarry", "ford"]), Real("depth", 0, 3))
LOCKS = Places([{"site": "spring"}, {"site": "lock"}, {"site": "sea"}])
NODES = st.integers(0, 7)
EDGES = st.lists(st.tuples(NODES, NODES, st.sampled_from([0.0, 0.5, 1.0, 2.25, 7.0])), min_size=1, max_size=24)


@given(EDGES, st.booleans())
def test_it_finds_the_shortest_ways(edges, directed):
    def steps_from(node):
        yield from ((end, cost) for start, end, cost in edges if start == node)
        if not directed:
            yield from ((start, cost) for start, end, cost in edges if end == node)

    network = Network(edges, directed=directed)
    nodes = sorted({node for start, end, _ in edges for node in (start, end)})
    x = np.array(nodes, dtype=float)[:, None]
    for i, node in enumerate(nodes):
        expected = dijkstra(steps_from, node)
        reached = np.array([other in expected for other in nodes])
        assert np.allclose(
            network(x[[i]], x[reached])[0], [expected[other] for other in nodes if other in expected], 1e-12, 0
        )
        for other, cost in expected.items():
            path = network.path(node, other)
            paid = sum(min(c for to, c in steps_from(a) if to == b) for a, b in pairwise(path))
            assert (path[0], path[-1]) == (node, other)
            assert paid == pytest.approx(cost)
        for j in np.flatnonzero(~reached):
            with pytest.raises(InvalidInput, match=f"no way from {node} to the place {nodes[j]} on a Network"):
                network(x[[i]], x[[j]])


@given(EDGES)
def test_a_directed_network_is_searched_from_either_end(edges):
    network = Network([*edges, *((i, (i + 1) % 8, 9.0) for i in range(8))], directed=True)
    x = np.arange(8.0)[:, None]
    assert np.allclose(network(x, x[:2]), network(x, x)[:, :2], rtol=1e-12, atol=0)


@given(EDGES, st.booleans())
def test_it_is_a_metric_only_if_it_says_so(edges, directed):
    network = Network([*edges, *((i, (i + 1) % 8, 9.0) for i in range(8))], directed=directed)
    costs = network(np.arange(8.0)[:, None], np.arange(8.0)[:, None])
    assert network.is_metric or directed
    if network.is_metric:
        assert np.allclose(costs, costs.T, rtol=1e-12, atol=0)
    assert (costs[:, :, None] + costs[None, :, :] >= costs[:, None, :] - 1e-9).all()


@pytest.mark.parametrize(
    ("cost", "space"),
    [
        (Network(ROADS, "site", unit="min"), SITES),
        (Network(RIVER, "site", directed=True), LOCKS),
        (Network([(10, 20, 1.5), (20, 30, 2)], "stop"), Places([{"stop": 10}, {"stop": 20}, {"stop": 30}])),
        (Network([(i, i + 1, 1 + i) for i in range(9)], "km"), Space(Integer("km", 0, 9), Choice("tool", ["a", "b"]))),
        (2 * Network(ROADS, "site") + Euclidean(["depth"]), SITES),
    ],
    ids=["roads", "river", "numbers", "integers", "joined"],
)
class TestNetwork(TravelCostContract):
    @pytest.fixture
    def cost(self, cost):
        return cost

    @pytest.fixture
    def space(self, space):
        return space

    def test_it_is_a_value(self, cost, bound, x):
        bound(x, x)
        assert cost == cost
        assert isinstance(hash(bound), int)
        again = pickle.loads(pickle.dumps(bound))
        assert again == bound
        assert np.array_equal(again(x, x), bound(x, x))


def test_nobody_has_to_live_at_a_crossing():
    bound = Network(ROADS, "site").bind(SITES)
    mill, quarry = SITES.points([{"site": "mill", "depth": 1}, {"site": "quarry", "depth": 2}])
    assert bound(mill[None], quarry[None]).item() == 11
    assert bound.path("mill", "quarry") == ["mill", "bridge", "quarry"]


def test_downstream_is_not_upstream():
    bound = Network(RIVER, "site", directed=True).bind(LOCKS)
    assert not bound.is_metric
    assert bound(LOCKS.table, LOCKS.table).tolist() == [[0, 2, 7], [4, 0, 5], [13, 9, 0]]


@pytest.mark.parametrize("kind", ["Graph", "DiGraph", "MultiGraph"])
def test_a_networkx_graph_says_the_same_as_its_edges(kind):
    networkx = pytest.importorskip("networkx")
    graph = getattr(networkx, kind)()
    graph.add_weighted_edges_from(RIVER)
    graph.add_edge("lock", "sea", weight=5)
    network = Network(graph, "site")
    assert network.directed == (kind == "DiGraph")
    bound = network.bind(LOCKS)
    for i, origin in enumerate(["spring", "lock", "sea"]):
        lengths = networkx.single_source_dijkstra_path_length(graph, origin)
        assert bound(LOCKS.table[[i]], LOCKS.table)[0].tolist() == [lengths[to] for to in ("spring", "lock", "sea")]


def test_a_networkx_graph_may_have_other_words_for_what_an_edge_costs():
    networkx = pytest.importorskip("networkx")
    graph = networkx.Graph()
    graph.add_edge(1, 2, length=3.0)
    with pytest.raises(InvalidInput, match=r"edge from 1 to 2 of the graph has no 'weight'; set it, or pass graph"):
        Network(graph)
    assert Network(graph.edges(data="length"))(np.array([[1.0]]), np.array([[2.0]])).item() == 3


@pytest.mark.parametrize("make", [csr_array, coo_array])
def test_a_sparse_matrix_is_directed_unless_it_is_symmetric(make):
    there = np.array([[0, 2, 0], [0, 0, 3], [4, 0, 0]])
    x = np.arange(3.0)[:, None]
    ring = Network(make(there))
    assert ring.directed
    assert ring(x, x).tolist() == [[0, 2, 5], [7, 0, 3], [4, 6, 0]]
    both = Network(make(there + there.T))
    assert not both.directed
    assert both(x, x).tolist() == [[0, 2, 4], [2, 0, 3], [4, 3, 0]]


def test_a_data_frame_is_a_table_of_edges():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(ROADS, columns=["from", "to", "min"])
    assert Network(frame, "site") == Network(ROADS, "site")


PAIR = Space(Choice("site", ["mill", "isle"]))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Network("roads"), "must be rows of from, to and cost, a networkx graph or a sparse matrix"),
        (lambda: Network([]), "a Network needs at least one edge"),
        (lambda: Network(csr_array(np.zeros((2, 2)))), "a Network needs at least one edge"),
        (lambda: Network(csr_array(np.ones((2, 3)))), "the matrix of a Network must be square, got shape (2, 3)"),
        (lambda: Network([("a", "b")]), "edge 0 of a Network must be from, to and cost, got ('a', 'b')"),
        (lambda: Network([("a", "b", 1), ("a", "b", -1)]), "edge 1 of a Network, from 'a' to 'b', must cost"),
        (lambda: Network([("a", "b", math.inf)]), "got inf; leave it out if there is no way"),
        (lambda: Network([("a", "b", "far")]), "must cost a finite number, 0 or above, got 'far'"),
        (lambda: Network([("a", None, 1)]), "edge 0 of a Network: a node must be text or a number, got None"),
        (lambda: Network([(True, 2, 1)]), "a node must be text or a number, got True"),
        (lambda: Network(ROADS, directed="no"), "directed of a Network must be True or False, got 'no'"),
        (lambda: Network(csr_array([[0, 1], [1, 0]]), directed=True), "but its edges lead both ways; leave"),
        (lambda: Network(ROADS, "site", unit=3), "the unit of a travel cost must be text"),
        (lambda: Network(ROADS, "sight").bind(SITES), "there is no axis 'sight'; did you mean 'site'?"),
        (lambda: Network(ROADS, "site")(np.zeros((1, 1)), np.zeros((1, 1))), "call cost.bind(space) first"),
        (
            lambda: Network([("mill", "mil", 1)], "site").bind(SITES),
            "the place 'quarry' of axis 'site' is on no edge of the Network; the nodes are 'mill', 'mil'",
        ),
        (lambda: Network([(1, 2, 3)])(np.array([[1.0]]), np.array([[2.5]])), "the place 2.5 is on no edge"),
        (lambda: Network([(1, 2, 3)], "on").bind(Space(Choice("on", [True, 2]))), "the place True of axis 'on'"),
        (lambda: Network([(1, 2, 3)], "km").bind(Space(Real("km", 0, 9))), "'km' of a Network must name nodes, but"),
        (
            lambda: Network([*ROADS, ("isle", "reef", 1)], "site").bind(PAIR),
            "there is no way from 'mill' to the place 'isle' of axis 'site' on a Network; leave one out",
        ),
        (
            lambda: Network([("isle", "mill", 1)], "site", directed=True).bind(PAIR),
            "there is no way from 'mill' to the place 'isle' of axis 'site'",
        ),
        (lambda: Network(ROADS).path("mill", "moon"), "the place 'moon' is on no edge of the Network"),
    ],
)
def test_bad_edges_and_places_are_refused(make, message):
    with pytest.raises(InvalidInput) as refused:
        make()
    assert message in str(refused.value)


def test_a_study_runs_along_the_roads():
    study = Study.create(
        Places([{"site": name} for name in ("mill", "quarry", "ford")]),
        direction="maximize",
        travel=Network(ROADS, "site", unit="min"),
        trials=3,
        start={"site": "mill"},
        name="roads",
    )
    assert study.ask().params == {"site": "mill"}
