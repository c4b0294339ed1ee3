"""Settings of the broker's security: who may do what, how logins are checked, delegation tokens.

Those that clients share are written once, in `ottla.config.tables.security`; what differs here is their importance
and that most may be changed while the broker runs, for one listener by its prefix.
"""

from ottla.config.setting import (
    BOOLEAN,
    CLASS,
    HIGH,
    INT,
    LIST,
    LONG,
    LOW,
    MEDIUM,
    PASSWORD,
    PER_BROKER,
    STRING,
    Setting,
)
from ottla.config.validators import NON_NULL, at_least, list_of, one_of

# fmt: off
SECURITY_SETTINGS = (
    Setting("authorizer.class.name", STRING, "", LOW, valid=NON_NULL,
            doc="The class that decides who may do what. Empty means that everybody may do everything."),
    Setting("principal.builder.class", CLASS,
            "org.apache.kafka.common.security.authenticator.DefaultKafkaPrincipalBuilder", MEDIUM,
            dynamic=PER_BROKER,
            doc="The class that makes a principal of a certificate or a login; it has to be able to write one down "
                "as well, so that brokers can forward requests."),
    Setting("security.inter.broker.protocol", STRING, "PLAINTEXT", MEDIUM,
            valid=one_of("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"),
            doc="The security protocol among brokers. Only one of this and `inter.broker.listener.name` may be "
                "set."),
    Setting("sasl.enabled.mechanisms", LIST, ("GSSAPI",), MEDIUM, valid=list_of(may_be_empty=True),
            dynamic=PER_BROKER,
            doc="The SASL mechanisms that clients may use."),
    Setting("sasl.mechanism.inter.broker.protocol", STRING, "GSSAPI", MEDIUM, dynamic=PER_BROKER,
            doc="The SASL mechanism among brokers. It has to be one of `sasl.enabled.mechanisms`."),
    Setting("sasl.mechanism.controller.protocol", STRING, "GSSAPI", HIGH,
            doc="The SASL mechanism between brokers and controllers."),
    Setting("sasl.server.callback.handler.class", CLASS, None, MEDIUM,
            doc="A class that checks logins, set for one mechanism of one listener: "
                "`listener.name.NAME.MECHANISM.` comes before it."),
    Setting("sasl.server.max.receive.size", INT, 524_288, MEDIUM,
            doc="The largest message that a client may send before it is logged in."),
    Setting("sasl.kerberos.principal.to.local.rules", LIST, ("DEFAULT",), MEDIUM, valid=list_of(may_be_empty=True),
            dynamic=PER_BROKER,
            doc="Rules that shorten Kerberos principals, in order; the first that fits is used. DEFAULT turns "
                "`user/host@REALM` into `user`."),
    Setting("ssl.client.auth", STRING, "none", MEDIUM, valid=one_of("required", "requested", "none"),
            dynamic=PER_BROKER,
            doc="Whether clients must show a certificate (`required`), may (`requested`), or are not asked "
                "(`none`)."),
    Setting("ssl.principal.mapping.rules", STRING, "DEFAULT", LOW,
            doc="Rules that make a name of a certificate's distinguished name, in order; the first that fits is "
                "used. DEFAULT takes the whole of it."),
    Setting("ssl.allow.dn.changes", BOOLEAN, False, LOW,
            doc="Whether a new certificate may be loaded that has another distinguished name than the old one."),
    Setting("ssl.allow.san.changes", BOOLEAN, False, LOW,
            doc="Whether a new certificate may be loaded that lacks alternative names of the old one."),
    Setting("delegation.token.secret.key", PASSWORD, None, MEDIUM,
            doc="The key that delegation tokens are signed with, the same on all nodes. Without it there are none."),
    Setting("delegation.token.max.lifetime.ms", LONG, 604_800_000, MEDIUM, valid=at_least(1),
            doc="How long a delegation token can live at all, renewals included."),
    Setting("delegation.token.expiry.time.ms", LONG, 86_400_000, MEDIUM, valid=at_least(1),
            doc="How long a delegation token lives until it has to be renewed."),
    Setting("delegation.token.expiry.check.interval.ms", LONG, 3_600_000, LOW, valid=at_least(1),
            doc="How often expired delegation tokens are removed."),
)
