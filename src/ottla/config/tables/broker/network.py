"""Settings of the broker's sockets: where it listens, what clients are told, how many may connect.

A listener is a name with a host and a port; its name, and not its port, decides its security by
`listener.security.protocol.map`. Most of the settings may be given to one listener by the prefix
`listener.name.NAME.`.
"""

from ottla.config.setting import CLUSTER_WIDE, HIGH, INT, LIST, LONG, LOW, MEDIUM, PER_BROKER, STRING, Setting
from ottla.config.validators import at_least, list_of
from ottla.config.values import INT_MAX

# fmt: off
NETWORK_SETTINGS = (
    Setting("listeners", LIST, ("PLAINTEXT://:9092",), HIGH, valid=list_of(), dynamic=PER_BROKER,
            doc="Where the node listens, as a list of `NAME://host:port`. An empty host means the default "
                "interface, 0.0.0.0 all of them; each name and each port may be used once, except that IPv4 and "
                "IPv6 may share a port."),
    Setting("advertised.listeners", LIST, None, HIGH, valid=list_of(may_be_null=True),
            doc="What clients and other brokers are told to connect to, when that differs from `listeners`: behind "
                "a load balancer, in a container, in a private network. A host that nobody can reach from outside "
                "must not be in here."),
    Setting("listener.security.protocol.map", STRING,
            "SASL_SSL:SASL_SSL,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT", LOW, dynamic=PER_BROKER,
            doc="Which security protocol each listener name stands for, as a list of `NAME:PROTOCOL`. Names other "
                "than those of the protocols, such as INTERNAL and EXTERNAL, have to be listed."),
    Setting("inter.broker.listener.name", STRING, None, MEDIUM,
            doc="The listener that brokers use among themselves. Without it, the one whose protocol is "
                "`security.inter.broker.protocol`; only one of the two may be set."),
    Setting("early.start.listeners", LIST, None, HIGH, valid=list_of(may_be_empty=True, may_be_null=True),
            doc="Listeners that accept connections before the authoriser is ready, so that an authoriser which "
                "itself reads from the cluster can start. Without it, the controllers' listeners."),
    Setting("socket.send.buffer.bytes", INT, 102_400, HIGH,
            doc="SO_SNDBUF of a server socket; -1 leaves it to the operating system."),
    Setting("socket.receive.buffer.bytes", INT, 102_400, HIGH,
            doc="SO_RCVBUF of a server socket; -1 leaves it to the operating system."),
    Setting("socket.request.max.bytes", INT, 104_857_600, HIGH, valid=at_least(1),
            doc="The largest request that is read. Whoever announces a larger one is disconnected."),
    Setting("socket.listen.backlog.size", INT, 50, MEDIUM, valid=at_least(1),
            doc="How many connections the operating system may hold ready that have not been accepted yet. Linux "
                "has an upper bound of its own, somaxconn."),
    Setting("num.network.threads", INT, 3, HIGH, valid=at_least(1), dynamic=CLUSTER_WIDE,
            doc="Accepted for compatibility and counted as one per listener: a node serves its network from a "
                "single event loop, and more cores are used by more nodes."),
    Setting("max.connections", INT, INT_MAX, MEDIUM, valid=at_least(0), dynamic=CLUSTER_WIDE,
            doc="How many connections the node takes in all, or a listener with its prefix. At the limit, a new "
                "connection on the inter-broker listener takes the place of the one that was idle the longest on "
                "another."),
    Setting("max.connections.per.ip", INT, INT_MAX, MEDIUM, valid=at_least(0), dynamic=CLUSTER_WIDE,
            doc="How many connections one address may have. Zero shuts everybody out except the addresses in "
                "`max.connections.per.ip.overrides`."),
    Setting("max.connections.per.ip.overrides", STRING, "", MEDIUM, dynamic=CLUSTER_WIDE,
            doc="Limits for single hosts or addresses in place of `max.connections.per.ip`, as a list of "
                "`host:count`."),
    Setting("max.connection.creation.rate", INT, INT_MAX, MEDIUM, valid=at_least(0), dynamic=CLUSTER_WIDE,
            doc="How many connections are accepted in a second, by the node or, with its prefix, by a listener; "
                "those beyond wait."),
    Setting("connections.max.idle.ms", LONG, 600_000, MEDIUM,
            doc="After how long a silent connection is closed."),
    Setting("connection.failed.authentication.delay.ms", INT, 100, LOW, valid=at_least(0),
            doc="How long a failed login is kept waiting for its answer, which slows down whoever tries passwords. "
                "Has to be shorter than `connections.max.idle.ms`."),
    Setting("connections.max.reauth.ms", LONG, 0, MEDIUM,
            doc="After how long a client has to log in anew on the same connection; zero means never. A client "
                "that is too old to know how is disconnected."),
    Setting("socket.connection.setup.timeout.ms", LONG, 10_000, MEDIUM,
            doc="How long the node waits for a connection to another node to be established. Doubles with each "
                "failure, up to the next setting, and varies at random by a fifth."),
    Setting("socket.connection.setup.timeout.max.ms", LONG, 30_000, MEDIUM,
            doc="The longest that the node ever waits for a connection to be established."),
)
