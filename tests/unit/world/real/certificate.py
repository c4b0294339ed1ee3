"""A certificate of localhost which signs itself, its key, and the key locked with the password "secret".

Made for these tests by `openssl req -x509 -newkey ec -nodes -days 36500 -subj /CN=localhost -addext
subjectAltName=DNS:localhost` and `openssl ec -aes128`. Nobody else believes it.
"""

CERTIFICATE = """\
-----BEGIN CERTIFICATE-----
MIIBljCCATugAwIBAgIUE9KArrwDM5WloP/xQnPaev3t/VMwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTExOTIxMzcxNloYDzIxMjYxMDI2
MjEzNzE2WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAS63bJJ7QeD3qSpz8M+EE53WTyywa0ihFM6i7efpUMTPrgRjfEuMEz4
fJXqSuV1PwX2/udAwSNPQ4A3nIUiUKcmo2kwZzAdBgNVHQ4EFgQUw8w9gW/hxa+6
trUv0o+OL0P9lIswHwYDVR0jBBgwFoAUw8w9gW/hxa+6trUv0o+OL0P9lIswDwYD
VR0TAQH/BAUwAwEB/zAUBgNVHREEDTALgglsb2NhbGhvc3QwCgYIKoZIzj0EAwID
SQAwRgIhALayTlY6Rs9ZDrL155+pPvn7Rb6ihPphg9RZq7Q07LCFAiEApon2H3o2
pEgqEz9Ztflkg7dPgaTZPVP9Vh8b+QOeD4I=
-----END CERTIFICATE-----
"""

KEY = """\
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgD85jXBTgH07uYwsJ
VAQLJJWU4SeD7gm3QpryL3Em93qhRANCAAS63bJJ7QeD3qSpz8M+EE53WTyywa0i
hFM6i7efpUMTPrgRjfEuMEz4fJXqSuV1PwX2/udAwSNPQ4A3nIUiUKcm
-----END PRIVATE KEY-----
"""

LOCKED_KEY = """\
-----BEGIN EC PRIVATE KEY-----
Proc-Type: 4,ENCRYPTED
DEK-Info: AES-128-CBC,8A730EFBC1FB3F41BC4ED32FB17EC24C

yZgXX3nO2eqxahga7e4IaPrNPrmzHwxPHh8LqWUKFGWJYWNMGzR+lrKEGV7mOb2m
3aCZG0ROYGcbn5AZkF8/Be+wLG45tkPquedfrVNoYbarPWcJIkImR5nCIv8qogjJ
47ZSYcFkPs4Ei/LfKuhQdFNDqh84dh2YCO3PXnXK9C0=
-----END EC PRIVATE KEY-----
"""
