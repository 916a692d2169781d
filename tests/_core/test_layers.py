"""A mapping that grows by layers is the dict of all that was added, and so is every earlier one."""

from hypothesis import given
from hypothesis import strategies as st

from wayfare._core.layers import Layers

sizes = st.lists(st.integers(0, 5), max_size=40)


@given(sizes)
def test_layers_are_a_dict_in_the_order_of_adding_and_leave_earlier_ones_as_they_were(sizes):
    made, expected, number = [(Layers(), {})], {}, 0
    for size in sizes:
        added = {str(at): at for at in range(number, number + size)}
        number += size
        expected = expected | added
        made.append((made[-1][0].plus(added), expected))
    for layers, whole in made:
        assert list(layers.items()) == list(whole.items())
        assert len(layers) == len(whole)
        assert all(layers[key] == value for key, value in whole.items())
        assert "other" not in layers


def test_adding_one_by_one_copies_each_key_a_few_times_only():
    layers, copied = Layers(), 0
    for at in range(4096):
        before = layers._layers
        layers = layers.plus({at: at})
        copied += sum(len(layer) for layer in layers._layers if not any(layer is one for one in before))
    assert len(layers._layers) <= 13
    assert copied < 4096 * 13
