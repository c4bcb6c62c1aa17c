from tests.mail_servers.conftest import host as host
from tests.mail_servers.conftest import installed as installed
