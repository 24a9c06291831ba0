# Every TCP connection that a program makes with Python's own `socket` and that leaves this machine is made to the
# world's proxy by CONNECT, whatever library asks for it. The proxy has to be told names, and a library asks for a
# name's address first: each name gets one of 198.18.0.0/15 of its own, which no network routes, and is known by it.
import errno
import os

# Where a server speaks first, or a protocol is no HTTP: the proxy is told, so that it can refuse at once.
_RAW_PORTS = frozenset(
    [21, 22, 25, 110, 143, 465, 587, 993, 995, 1433, 1521, 3306, 5432, 5672, 6379, 9042, 9092, 11211, 27017]
)
_LOOPBACK = ("localhost", "::1", "0.0.0.0", "::", "")
_ANSWER_BYTES_MAX = 64 * 1024
_TUNNEL_SECONDS_MAX = 30
_NAMES_MAX = 2 * 65536 - 2


class _Names(object):
    """The names that stand-in addresses were given for."""

    def __init__(self):
        self.by_address = {}
        self.by_name = {}

    def address_of(self, name):
        address = self.by_name.get(name)
        if address is None:
            number = len(self.by_name) % _NAMES_MAX + 1
            address = "198.%d.%d.%d" % (18 + (number >> 16), (number >> 8) & 255, number & 255)
            self.by_name.pop(self.by_address.get(address), None)
            self.by_name[name] = address
            self.by_address[address] = name
        return address


def _is_address(socket, host):
    for family in (socket.AF_INET, socket.AF_INET6):
        try:
            socket.inet_pton(family, host)
            return True
        except (OSError, ValueError):
            pass
    return False


def _is_loopback(host):
    return host in _LOOPBACK or host.endswith(".localhost") or host.replace("::ffff:", "").startswith("127.")


def _reads_no_proxy(text):
    """As attach/settings.cjs reads it."""
    rules = []
    for entry in text.lower().replace(",", " ").split():
        name, _, port = entry.rpartition(":") if entry.count(":") == 1 else (entry, "", "")
        name = name.strip("[]")
        rules.append((name[1:] if name.startswith("*.") else name, int(port) if port.isdigit() else None))

    def direct(host, port):
        return any(
            (of is None or port is None or of == port)
            and (name == "*" or name == host or host.endswith(name if name.startswith(".") else "." + name))
            for name, of in rules
        )

    return direct


def _proxy_of(text):
    """Host, port, and the value of Proxy-Authorization or None."""
    from base64 import b64encode
    from urllib.parse import unquote, urlsplit

    url = urlsplit(text)
    if url.username is None:
        return url.hostname, url.port or 80, None
    user = "%s:%s" % (unquote(url.username), unquote(url.password or ""))
    return url.hostname, url.port or 80, "Basic " + b64encode(user.encode()).decode()


def install(socket):
    import _socket

    host_of_proxy, port_of_proxy, authorization = _proxy_of(os.environ["WRLD_WORLD_PROXY"])
    direct = _reads_no_proxy(os.environ.get("no_proxy") or os.environ.get("NO_PROXY") or "")
    names = _Names()
    real = {name: getattr(socket, name) for name in ("getaddrinfo", "gethostbyname")}
    connect_directly = socket.socket.connect

    def own(host, port=None):
        """True where the connection is made as it is."""
        host = host.rstrip(".").lower()
        if _is_loopback(host) or (host == host_of_proxy and port in (None, port_of_proxy)):
            return True
        return direct(host, port) or host == socket.gethostname().lower()

    def as_text(host):
        return host.decode("ascii", "replace") if isinstance(host, bytes) else host

    def getaddrinfo(host, port, family=0, type=0, proto=0, flags=0):
        name = as_text(host)
        if not name or own(name) or _is_address(socket, name):
            return real["getaddrinfo"](host, port, family, type, proto, flags)
        if family == socket.AF_INET6:
            raise socket.gaierror(socket.EAI_NONAME, "the world's names have no IPv6 addresses")
        return real["getaddrinfo"](names.address_of(name), port, family, type, proto, 0)

    def gethostbyname(host):
        name = as_text(host)
        if not name or own(name) or _is_address(socket, name):
            return real["gethostbyname"](host)
        return names.address_of(name)

    def tunnelled(self, address):
        """The host and port to ask the proxy for, or None."""
        if self.family not in (socket.AF_INET, socket.AF_INET6) or not self.type & socket.SOCK_STREAM:
            return None
        if self.type & 0xF != socket.SOCK_STREAM or not isinstance(address, tuple) or len(address) < 2:
            return None
        host = as_text(address[0])
        if not isinstance(host, str):
            return None
        host = names.by_address.get(host, host)
        try:
            host.encode("ascii")
        except UnicodeError:
            host = host.encode("idna").decode("ascii")
        return None if own(host, address[1]) else (host, address[1])

    def connect(self, address):
        to = tunnelled(self, address)
        if to is None:
            return connect_directly(self, address)
        # The proxy is on this machine and answers at once: also a socket that does not block waits for it.
        timeout = self.gettimeout()
        self.settimeout(_TUNNEL_SECONDS_MAX)
        try:
            mapped = "::ffff:" + host_of_proxy if self.family == socket.AF_INET6 else host_of_proxy
            connect_directly(self, (mapped, port_of_proxy))
            _ask(self, to)
        finally:
            self.settimeout(timeout)

    def connect_ex(self, address):
        if tunnelled(self, address) is None:
            return _socket.socket.connect_ex(self, address)
        try:
            connect(self, address)
        except OSError as error:
            return error.errno or errno.ECONNREFUSED
        return 0

    def _ask(self, to):
        host, port = to
        authority = "[%s]:%d" % (host, port) if ":" in host else "%s:%d" % (host, port)
        head = "CONNECT %s HTTP/1.1\r\nHost: %s\r\n" % (authority, authority)
        if authorization is not None:
            head += "Proxy-Authorization: %s\r\n" % authorization
        if port in _RAW_PORTS:
            head += "X-Wrld-Attached: raw\r\n"
        # The base class's own methods: in a TLS socket the others speak TLS.
        _socket.socket.sendall(self, (head + "\r\n").encode("ascii"))
        answer = b""
        while True:
            seen = _socket.socket.recv(self, _ANSWER_BYTES_MAX, socket.MSG_PEEK)
            end = seen.find(b"\r\n\r\n")
            # What comes after the answer is the tunnel's.
            taken = _socket.socket.recv(self, len(seen) if end == -1 else end + 4)
            answer += taken
            if end != -1 or not taken or len(answer) > _ANSWER_BYTES_MAX:
                break
        status = answer.split(b" ", 2)[1:2]
        if status and status[0].startswith(b"2"):
            return
        why = answer
        while len(why) < _ANSWER_BYTES_MAX:
            more = _socket.socket.recv(self, 4096)
            if not more:
                break
            why += more
            if b"\n" in why.partition(b"\r\n\r\n")[2]:
                break
        text = why.partition(b"\r\n\r\n")[2].decode("utf-8", "replace").split("\n")[0]
        raise ConnectionRefusedError(errno.ECONNREFUSED, text or "the world's proxy gave no tunnel to " + authority)

    socket.getaddrinfo = getaddrinfo
    socket.gethostbyname = gethostbyname
    socket.socket.connect = connect
    socket.socket.connect_ex = connect_ex
