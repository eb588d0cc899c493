"""How jieba is loaded; in processes of their own, since it is loaded once."""

import os
import subprocess
import sys
from pathlib import Path


def run(code: str, *options: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, *options, "-c", code],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONUTF8": "1", **environment},
        check=False,
    )


def test_jieba_is_loaded_only_when_chinese_text_turns_up() -> None:
    done = run(
        "import sys; from skill_selector.retrievers.text import tokenize; tokenize('merge files – naïve 🎉');"
        "assert not {'jieba', 'opencc'} & set(sys.modules); tokenize('合并'); assert 'jieba' in sys.modules"
    )

    assert done.returncode == 0, done.stderr


def test_loading_says_nothing_and_leaves_the_shared_temp_folder_alone(tmp_path: Path) -> None:
    # Somebody else's cache file, which jieba would read or stumble over.
    planted = tmp_path / "jieba.cache"
    planted.write_bytes(b"not a cache")
    planted.chmod(0)
    code = "from skill_selector.retrievers.text import tokenize; print(tokenize('合并文件'))"
    temp = {name: str(tmp_path) for name in ("TMPDIR", "TEMP", "TMP")}
    # Compiled anew, since it is then that Python warns of jieba's escapes.
    done = run(code, "-W", "error", PYTHONPYCACHEPREFIX=str(tmp_path / "compiled"), **temp)

    assert done.stdout.strip() == "['合并', '文件']"
    assert done.stderr == ""
    assert [one.name for one in tmp_path.iterdir() if one.is_file()] == ["jieba.cache"]


def test_words_that_others_add_to_the_global_dictionary_change_nothing() -> None:
    done = run(
        "import warnings; warnings.simplefilter('ignore'); import jieba, logging; jieba.setLogLevel(logging.ERROR);"
        "from skill_selector.retrievers.text import tokenize; tokenize('文件');"
        "jieba.add_word('并文', 10**9); print(tokenize('合并文件'))"
    )

    assert done.stdout.strip() == "['合并', '文件']"


def test_without_jieba_pairs_are_searched_and_one_warning_says_so() -> None:
    done = run(
        "import sys; sys.modules['jieba'] = None; from skill_selector.retrievers.text import tokenize;"
        "print(tokenize('数据库 pdf')); tokenize('合并文件')"
    )

    assert done.stdout.strip() == "['数据', '据库', 'pdf']"
    assert done.stderr.count("jieba cannot be imported") == 1
    assert "pip install jieba" in done.stderr


def test_without_opencc_simplified_text_still_works_and_one_warning_says_so() -> None:
    done = run(
        "import sys; sys.modules['opencc'] = None; from skill_selector.retrievers.text import tokenize;"
        "print(tokenize('文件')); tokenize('合并')"
    )

    assert done.stdout.strip() == "['文件']"
    assert done.stderr.count("OpenCC cannot be imported") == 1


def test_many_threads_may_meet_the_first_chinese_text_at_once() -> None:
    done = run(
        "from concurrent.futures import ThreadPoolExecutor\n"
        "from skill_selector.retrievers.text import tokenize\n"
        "with ThreadPoolExecutor(16) as pool: found = list(pool.map(tokenize, ['繁體資料庫的合并文件'] * 64))\n"
        "assert all(one == found[0] for one in found), found\n"
        "assert '合并' in found[0], found"
    )

    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
