"""A process that dies at a chosen step of its disk, without a process of its own for the test."""

from tests.support.trouble import Fault, Trouble


class Death(BaseException):
    """The end of a process: nothing that comes after it is done."""


class Dying(Trouble):
    """Goes wrong as any trouble does; where the process dies, all that comes later fails too."""

    @property
    def is_over(self) -> bool:
        """Whether the chosen step was reached."""
        return self.steps >= self.at

    def is_met(self, *, needs_room: bool = False) -> bool:
        if self.fault is not Fault.DIES:
            return super().is_met(needs_room=needs_room)
        self.steps += 1
        if self.is_over:
            raise Death
        return False
