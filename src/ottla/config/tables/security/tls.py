"""TLS settings that brokers and clients share: certificates, keys, trust, protocol versions.

Keys and certificates come from files (PKCS12, or PEM) or as PEM text in the settings themselves. Names of Java's own
providers and algorithms are taken and have no effect, since OpenSSL does the work.
"""

from ottla.config.setting import CLASS, HIGH, LIST, LOW, MEDIUM, PASSWORD, PER_BROKER, READ_ONLY, STRING, Setting
from ottla.config.validators import list_of

# fmt: off


def tls_settings(*, on_broker: bool) -> tuple[Setting, ...]:
    """The settings as brokers or as clients have them."""
    secret = MEDIUM if on_broker else HIGH
    tuning = MEDIUM if on_broker else LOW
    dynamic = PER_BROKER if on_broker else READ_ONLY
    return (
        Setting("ssl.protocol", STRING, "TLSv1.3", MEDIUM, dynamic=dynamic,
                doc="The TLS version to begin with; older ones that `ssl.enabled.protocols` has are agreed on where "
                    "the other side cannot do more."),
        Setting("ssl.enabled.protocols", LIST, ("TLSv1.2", "TLSv1.3"), MEDIUM, valid=list_of(may_be_empty=True),
                dynamic=dynamic,
                doc="The TLS versions that may be agreed on. The newest that both sides have is used."),
        Setting("ssl.cipher.suites", LIST, (), tuning, valid=list_of(may_be_empty=True), dynamic=dynamic,
                doc="The cipher suites that may be agreed on; empty means those that OpenSSL takes for safe."),
        Setting("ssl.provider", STRING, None, MEDIUM, dynamic=dynamic,
                doc="The name of a Java security provider; accepted for compatibility."),
        Setting("ssl.secure.random.implementation", STRING, None, LOW, dynamic=dynamic,
                doc="The name of a Java random generator; accepted for compatibility."),
        Setting("ssl.keymanager.algorithm", STRING, "SunX509", tuning, dynamic=dynamic,
                doc="The name of a Java key manager; accepted for compatibility."),
        Setting("ssl.trustmanager.algorithm", STRING, "PKIX", tuning, dynamic=dynamic,
                doc="The name of a Java trust manager; accepted for compatibility."),
        Setting("ssl.engine.factory.class", CLASS, None, LOW, dynamic=dynamic,
                doc="A class that makes TLS engines in place of the settings here."),
        Setting("ssl.endpoint.identification.algorithm", STRING, "https", LOW, dynamic=dynamic,
                doc="`https` compares the host name with the server's certificate; an empty text turns that off, which "
                    "lets anybody with any trusted certificate pose as the server."),
        Setting("ssl.keystore.type", STRING, "JKS", MEDIUM, dynamic=dynamic,
                doc="The kind of file that holds the key and its certificates: JKS, PKCS12 or PEM."),
        Setting("ssl.keystore.location", STRING, None, secret, dynamic=dynamic,
                doc="The file that holds the key and its certificates. A client needs one only if it shows a "
                    "certificate."),
        Setting("ssl.keystore.password", PASSWORD, None, secret, dynamic=dynamic,
                doc="The password of the file in `ssl.keystore.location`. A PEM file has none."),
        Setting("ssl.key.password", PASSWORD, None, secret, dynamic=dynamic,
                doc="The password of the private key itself, in a file or in `ssl.keystore.key`."),
        Setting("ssl.keystore.key", PASSWORD, None, secret, dynamic=dynamic,
                doc="The private key as PEM text (PKCS#8), in place of a file."),
        Setting("ssl.keystore.certificate.chain", PASSWORD, None, secret, dynamic=dynamic,
                doc="The certificates that go with `ssl.keystore.key`, as PEM text."),
        Setting("ssl.truststore.type", STRING, "JKS", MEDIUM, dynamic=dynamic,
                doc="The kind of file that holds the trusted certificates: JKS, PKCS12 or PEM."),
        Setting("ssl.truststore.location", STRING, None, secret, dynamic=dynamic,
                doc="The file that holds the trusted certificates. Without it and without PEM text, those of the "
                    "operating system are trusted."),
        Setting("ssl.truststore.password", PASSWORD, None, secret, dynamic=dynamic,
                doc="The password of the file in `ssl.truststore.location`. Without it, its contents are used "
                    "unchecked."),
        Setting("ssl.truststore.certificates", PASSWORD, None, secret, dynamic=dynamic,
                doc="The trusted certificates as PEM text, in place of a file."),
        Setting("security.providers", STRING, None, LOW,
                doc="Classes that install Java security providers; accepted for compatibility."),
    )
