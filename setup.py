"""Builds the core of the house player, where there is a C compiler; `setup.cfg` says all else.

Without a compiler the core is left out, and the house plays the simple way (docs/house.md).
"""

from pathlib import Path

from setuptools import Extension, setup

CORE = Path("pbm_oust/robot/core")

setup(
    ext_modules=[
        Extension(
            "pbm_oust.robot._core",
            sources=sorted(map(str, CORE.glob("*.c"))),
            depends=sorted(map(str, CORE.glob("*.h"))),
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
    ]
)
