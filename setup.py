"""Builds the core of the house player, where there is a C compiler; `setup.cfg` says all else.

Without a compiler the core is left out, and the house plays the simple way (docs/house.md).
"""

import configparser
import sys
from pathlib import Path

from setuptools import Extension, setup

sys.path.insert(0, str(Path(__file__).parent))

from scripts.catalogues import BuildPy
from scripts.readme import with_whole_links

CORE = Path("pbm_oust/robot/core")
README = Path("README.md").read_text()
METADATA = configparser.ConfigParser()
METADATA.read("setup.cfg")

setup(
    cmdclass={"build_py": BuildPy},
    long_description=with_whole_links(README, METADATA["metadata"]["url"]),
    ext_modules=[
        Extension(
            "pbm_oust.robot._core",
            sources=sorted(map(str, CORE.glob("*.c"))),
            depends=sorted(map(str, CORE.glob("*.h"))),
            py_limited_api=True,
            # Nothing is rounded differently than in Python: no product and sum in one step.
            extra_compile_args=[
                "-std=c11",
                "-O3",
                "-ffp-contract=off",
                "-fvisibility=hidden",
                "-g0",
            ],
            optional=True,
        )
    ],
)
