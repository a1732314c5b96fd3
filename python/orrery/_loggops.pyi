"""GOAL schedules under the LogGOPS model."""



class LogGOPSResult:
    """What a schedule takes under the LogGOPS model."""

    @property
    def end_ns(self) -> list[int]:
        """By rank."""

    @property
    def events(self) -> int:
        """Operations and messages."""

    @property
    def unfinished(self) -> int:
        """Operations that could not be done."""

    @property
    def unmatched(self) -> int:
        """Messages that nobody received, and the other way round."""

def run_loggops(path: str, parameters: str = '') -> LogGOPSResult:
    """
    Runs a GOAL schedule under the LogGOPS model, as LogGOPSim does. `parameters`: such as "L=2500,o=1500".
    Raises InputError for a schedule or parameters that are none, and KeyboardInterrupt for Ctrl-C.
    """
