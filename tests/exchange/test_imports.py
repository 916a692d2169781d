"""CSV files that are refused: one line that names line and column, and a store that stays as it was."""

import pytest

import wayfare as wf
from wayfare.errors import InvalidInput
from wayfare.exchange import import_csv
from wayfare.exchange.table import LARGEST

SPACE = wf.Space(wf.Real("a", 0.0, 10.0), wf.Integer("n", 1, 9), wf.Choice("c", ["x", "y"]))

# A study with trial 0 told 0.5, trial 1 open, trial 2 skipped, trial 3 failed ("pump").
BAD = {
    "an empty file": ("", "the file is empty"),
    "blank lines alone": ("\n \n,,,\n", "the file is empty"),
    "two delimiters": ("a;n,c;value\n1;2,x;3\n", "separated by comma or semicolon; say which with --delimiter"),
    "a thousand or a decimal comma": (
        "a;n;c;value\n1;2;x;1,500\n",
        "line 2: '1,500' may be 1.500 or 1500; .*--decimal",
    ),
    "a thousand or a decimal point": ("a;n;c;value\n1;2;x;1.500\n", "line 2: '1.500' may be 1.500 or 1500"),
    "both decimal marks": ("a;n;c;value\n1,5;2;x;3\n1.5;2;x;3\n", "line 2 has '1,5' and line 3 has '1.5'"),
    "a misspelt column": ("a,n,c,valeu\n1,2,x,3\n", "line 1: unknown column 'valeu'; did you mean 'value'"),
    "an unknown column": ("a,n,c,value,colour\n1,2,x,3,red\n", "line 1: unknown column 'colour'"),
    "a unit that nothing has": ("a [K],n,c,value\n1,2,x,3\n", r"line 1: column 'a \[K\]' is in K, and 'a' has no unit"),
    "a column without a name": ("a,n,c,value,\n1,2,x,3,4\n", "line 1: a column has no name"),
    "a column twice": ("a,n,c,value,a\n1,2,x,3,1\n", "line 1: column 'a' is there twice"),
    "an axis missing": ("a,c,value\n1,x,3\n", "line 1: there is no column 'n'"),
    "no value column": ("a,n,c\n1,2,x\n", "line 1: there is no column 'value'"),
    "a cell too many": ("a,n,c,value\n1,2,x,3\n1,2,x,3,4\n", "line 3: 5 cells, but there are 4"),
    "a cell too few": ("a,n,c,value\n1,2,x\n", "line 2: 3 cells"),
    "a quote left open": ('a,n,c,value\n1,2,"x,3\n', "line 2: not valid CSV"),
    "text after a quote": ('a,n,c,value\n1,2,"x"y,3\n', "line 2: not valid CSV"),
    "a cell without end": ("a,n,c,value,state,why\n1,2,x,,failed," + "y" * 200_000, "line 2: not valid CSV"),
    "a reason too long": ("a,n,c,value,state,why\n1,2,x,,failed," + "y" * 20_000, "line 2: why has 20000"),
    "half a character": ("a,n,c,value,state,why\n1,2,x,,failed,\ud800\n", "line 2: why holds half a char"),
    "text for a number": ("a,n,c,value\none,2,x,3\n", "line 2: axis 'a' must be a finite number.*'one'"),
    "an axis left blank": ("a,n,c,value\n,2,x,3\n", "line 2: axis 'a' is blank; fill it in"),
    "an underscore": ("a,n,c,value\n1_0,2,x,3\n", "line 2: axis 'a'"),
    "wide digits": ("a,n,c,value\n1,2,x,１２\n", "line 2: column 'value' must be a finite number"),
    "nan": ("a,n,c,value\n1,2,x,nan\n", "line 2: column 'value'"),
    "inf": ("a,n,c,value\n1,2,x,-inf\n", "line 2: column 'value'"),
    "a number beyond floats": ("a,n,c,value\n1,2,x,1e999\n", "line 2: column 'value'"),
    "thousands of digits": ("a,n,c,value\n1,2,x," + "9" * 5000 + "\n", "line 2: column 'value'"),
    "a value beyond 1e300": ("a,n,c,value\n1,2,x,1e301\n", "line 2: .*beyond ±1e300"),
    "a decimal comma": ('a,n,c,value\n"1,5",2,x,3\n', "line 2: axis 'a'.*'1,5'"),
    "a hexadecimal": ("a,n,c,value\n0x10,2,x,3\n", "line 2: axis 'a'"),
    "a formula for a number": ("a,n,c,value\n=1+1,2,x,3\n", "line 2: axis 'a'"),
    "a broken count": ("a,n,c,value\n1,2.5,x,3\n", "line 2: axis 'n' must be a whole number"),
    "an unknown choice": ("a,n,c,value\n1,2,z,3\n", "line 2: axis 'c' has no value 'z'"),
    "a choice in capitals": ("a,n,c,value\n1,2,X,3\n", "line 2: axis 'c' has no value 'X'"),
    "a negative leg": ("a,n,c,value,leg\n1,2,x,3,-1\n", "line 2: column 'leg' must not be negative"),
    "a negative cost": ("a,n,c,value,spent\n1,2,x,3,-1\n", "line 2: spent must not be negative"),
    "a cost beyond 1e300": ("a,n,c,value,spent\n1,2,x,3,1e301\n", "line 2: spent .*beyond"),
    "an unknown state": ("a,n,c,value,state\n1,2,x,3,tolled\n", "line 2: column 'state'.*'told'"),
    "told without a value": ("a,n,c,value,state\n1,2,x,,told\n", "line 2: column 'value' is blank"),
    "failed with a value": ("a,n,c,value,state\n1,2,x,3,failed\n", "line 2: column 'value' has 3.0.*failed"),
    "neither value nor state": ("a,n,c,value\n1,2,x,3\n1,2,x,\n", "line 3: column 'value' is blank"),
    "a cost without a visit": ("a,n,c,value,state,spent\n1,2,x,,skipped,4\n", "line 2: column 'spent'"),
    "a reason without an outcome": ("a,n,c,value,state,why\n1,2,x,,asked,tired\n", "line 2: column 'why'"),
    "prior maybe": ("a,n,c,value,prior\n1,2,x,3,maybe\n", "line 2: column 'prior' must be true or false"),
    "prior and asked": ("a,n,c,value,state,prior\n1,2,x,,asked,true\n", "line 2: a result known before"),
    "prior and skipped": ("a,n,c,value,state,prior\n1,2,x,,skipped,true\n", "line 2: a result known"),
    "a negative number": ("number,a,n,c,value\n-1,1,2,x,3\n", "line 2: column 'number'"),
    "a broken number": ("number,a,n,c,value\n1.5,1,2,x,3\n", "line 2: column 'number'"),
    "a number too far": ("number,a,n,c,value\n5,1,2,x,3\n", "line 2: .*leaves a gap, the next trial is 4"),
    "a number twice": ("number,a,n,c,value\n4,1,2,x,3\n4,1,2,x,3\n", "line 3: .*already on line 2"),
    "another value": ("number,a,n,c,value\n0,1,2,x,0.6\n", r"line 2: trial 0 already.*0.5.*0.6.*amend"),
    "another state": ("number,a,n,c,value,state\n0,1,2,x,,failed\n", r"line 2: trial 0 was told.*amend"),
    "a value after failing": ("number,a,n,c,value\n3,1,5,x,1\n", r"trial 3 failed \(pump\), the row says told; amend"),
    "another reason": ("number,a,n,c,value,state,why\n3,1,5,x,,failed,fire\n", "'why' has 'fire'.*'pump'"),
    "another cost": ("number,a,n,c,value,spent\n0,1,2,x,0.5,9\n", "'spent' has 9.0, the study None"),
    "a value after skipping": ("number,a,n,c,value\n2,1,4,x,1\n", "trial 2 was skipped.*leave the number out"),
    "another place": ("number,a,n,c,value\n1,7,3,x,1\n", "line 2: trial 1 is at .*not here"),
    "another choice": ("number,a,n,c,value\n1,1,3,y,1\n", "line 2: trial 1 is at .*not here"),
    "another worker": (
        "number,a,n,c,value,worker\n1,1,3,x,1,bob\n",
        "line 2: column 'worker' has 'bob', but trial 1 was handed out without a worker; clear",
    ),
    "another prior": ("number,a,n,c,value,prior\n1,1,3,x,1,true\n", "line 2: column 'prior': trial 1 is a visit"),
    "good rows before a bad one": ("a,n,c,value\n1,2,x,3\n1,2,x,4\n1,2,x,oops\n", "line 4: column 'value'"),
    "a bad row after a quoted line end": (
        'a,n,c,value,state,why\n1,2,x,,failed,"two\nlines"\n1,2,x,,told,\n',
        "line 4: column 'value'",
    ),
}


@pytest.fixture
def kept(tmp_path):
    study = wf.Study.create(
        SPACE, direction="maximize", travel=wf.Fee(1.0), trials=9, start=None, store=tmp_path / "lab.db", name="lab"
    )
    rows = ["0,1,2,x,0.5,told,", "1,1,3,x,,asked,", "2,1,4,x,,skipped,", "3,1,5,x,,failed,pump"]
    import_csv(study, "\n".join(["number,a,n,c,value,state,why", *rows]))
    return study, tmp_path / "lab.db"


@pytest.mark.parametrize("case", BAD)
def test_a_bad_file_is_refused_and_changes_nothing(kept, case):
    study, file = kept
    before = file.read_bytes()
    text, words = BAD[case]
    with pytest.raises(InvalidInput, match=words):
        import_csv(study, text, extra=True)
    assert file.read_bytes() == before
    assert list(file.parent.iterdir()) == [file]


def test_a_refusal_is_short_however_long_the_cell(kept):
    study, _ = kept
    with pytest.raises(InvalidInput) as refused:
        import_csv(study, f"a,n,c,value\n{'z' * 100_000},2,x,3\n")
    assert len(str(refused.value)) < 300


def test_a_file_larger_than_the_limit_is_refused_unread(kept):
    study, _ = kept
    with pytest.raises(InvalidInput, match="larger than 50 MB"):
        import_csv(study, "a" * (LARGEST + 1))


def test_a_place_that_has_no_price_is_refused(tmp_path):
    places = wf.Places([[0.0], [1.0]], ["a"])
    travel = wf.Table(places, [[0, 1], [1, 0]])
    study = wf.Study.create(places, direction="maximize", travel=travel, trials=3, start=[0.0])
    for leg in ("", "4"):
        with pytest.raises(InvalidInput, match="line 2: the Table has no cost"):
            import_csv(study, f"a,value,leg\n7,1,{leg}\n")
    assert import_csv(study, "a,value\n7,1\n", prior=True).prior == 1
