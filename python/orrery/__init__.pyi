# What `import orrery` offers to type checkers; __init__.py loads it when it is used.
from orrery.api import Advance as Advance
from orrery.api import Calibration as Calibration
from orrery.api import Collectives as Collectives
from orrery.api import Comparison as Comparison
from orrery.api import Interrupted as Interrupted
from orrery.api import Placement as Placement
from orrery.api import Platform as Platform
from orrery.api import Result as Result
from orrery.api import RunsComparison as RunsComparison
from orrery.api import Table as Table
from orrery.api import Tuned as Tuned
from orrery.api import Usage as Usage
from orrery.api import Validation as Validation
from orrery.api import WatchedRun as WatchedRun
from orrery.api import calibrate as calibrate
from orrery.api import collective as collective
from orrery.api import compare as compare
from orrery.api import compare_runs as compare_runs
from orrery.api import load as load
from orrery.api import place as place
from orrery.api import platforms as platforms
from orrery.api import prefix as prefix
from orrery.api import profile as profile
from orrery.api import replay as replay
from orrery.api import run as run
from orrery.api import tune as tune
from orrery.api import validate as validate
from orrery.api import watch as watch

__version__: str
