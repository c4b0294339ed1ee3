"""Certificates for tests, made by the openssl program when they are wanted, good for a day.

Two authorities that do not know each other; each has signed a server for localhost and 127.0.0.1, and a client.
"""

import subprocess
from dataclasses import dataclass
from pathlib import Path

from ottla.world.api import TlsSettings

NAMES = "subjectAltName=DNS:localhost,IP:127.0.0.1"


@dataclass(frozen=True)
class Authority:
    """A folder with an authority's certificate and what it has signed."""

    folder: Path
    name: str

    @property
    def trusted(self) -> str:
        """What those who believe this authority need."""
        return str(self.folder / f"{self.name}.pem")

    def settings(
        self, owner: str, trusted: "Authority | None" = None, client_authentication: str = "none"
    ) -> TlsSettings:
        """Settings of one of those whom it has signed."""
        return TlsSettings(
            certificate_chain=str(self.folder / f"{self.name}-{owner}.pem"),
            private_key=str(self.folder / f"{self.name}-{owner}.key"),
            trusted_certificates=(trusted or self).trusted,
            client_authentication=client_authentication,
        )

    def anonymous(self) -> TlsSettings:
        """Settings of a client that has no certificate, and believes this authority."""
        return TlsSettings(trusted_certificates=self.trusted)


def new_authority(folder: Path, name: str) -> Authority:
    """Make an authority, a server and a client."""
    _openssl(
        f"req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN={name} "
        f"-keyout {name}.key -out {name}.pem",
        folder,
    )
    for owner in ("server", "client"):
        _openssl(
            f"req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN={name}-{owner} "
            f"-keyout {name}-{owner}.key -out {name}-{owner}.csr",
            folder,
        )
        (folder / "names").write_text(NAMES)
        _openssl(
            f"x509 -req -in {name}-{owner}.csr -CA {name}.pem -CAkey {name}.key -CAcreateserial -days 1 "
            f"-extfile names -out {name}-{owner}.pem",
            folder,
        )
    _openssl(f"ec -aes128 -passout pass:secret -in {name}-server.key -out {name}-locked.key", folder)
    return Authority(folder, name)


def _openssl(arguments: str, folder: Path) -> None:
    done = subprocess.run(["openssl", *arguments.split()], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
