# What curl, wget and git see of a world, a line each: client, check, yes or no. No twin speaks git's protocol. Told where to ask by TWIN,
# REFUSED, GRANTED, LOOPBACK, UNTRUSTED, and BIG, a file of 50 MB.
say() { printf '%s\t%s\t%s\n' "$client" "$1" "$2"; }
has() { case "$2" in *"$3"*) say "$1" yes ;; *) say "$1" no ;; esac; }
fails() { check=$1; shift; if "$@" >/dev/null 2>&1; then say "$check" no; else say "$check" yes; fi; }

client=curl
if command -v curl >/dev/null; then
  has twin "$(curl -sS -m 20 -u sk_test_x: "$TWIN")" '/v1/customers'
  has refusal "$(curl -sS -m 20 "$REFUSED")" 'not-granted'
  has grant "$(curl -sS -m 20 "$GRANTED/hello")" 'granted hello'
  has up "$(curl -sS -m 20 -H 'content-type: application/octet-stream' --data-binary "@$BIG" "$GRANTED/up")" 'took 52428800'
  has events "$(curl -sSN -m 20 "$GRANTED/events")" 'event 3'
  fails trust curl -sS -m 20 "$UNTRUSTED/"
  has loopback "$(curl -sS -m 20 "$LOOPBACK/")" 'outside'
  curl -sS -m 3 --noproxy '*' "http://curl$SLIP/" >/dev/null 2>&1
fi

client=wget
if command -v wget >/dev/null; then
  has twin "$(wget -qO- -T 20 -t 1 --header 'Authorization: Bearer sk_test_x' "$TWIN")" '/v1/customers'
  has refusal "$(wget -qO- -T 20 -t 1 --content-on-error "$REFUSED")" 'not-granted'
  has grant "$(wget -qO- -T 20 -t 1 "$GRANTED/hello")" 'granted hello'
  has up "$(wget -qO- -T 20 -t 1 --header 'content-type: application/octet-stream' --post-file "$BIG" "$GRANTED/up")" 'took 52428800'
  has events "$(wget -qO- -T 20 -t 1 "$GRANTED/events")" 'event 3'
  fails trust wget -qO- -T 20 -t 1 "$UNTRUSTED/"
  has loopback "$(wget -qO- -T 20 -t 1 "$LOOPBACK/")" 'outside'
  wget -qO- -T 3 -t 1 --no-proxy "http://wget$SLIP/" >/dev/null 2>&1
fi

client=git
if command -v git >/dev/null; then
  export GIT_TERMINAL_PROMPT=0
  has refusal "$(git ls-remote "${REFUSED}no.git" 2>&1)" 'not-granted'
  has grant "$(git ls-remote "$GRANTED/repository.git" 2>&1)" 'refs/heads/main'
  fails trust git ls-remote "$UNTRUSTED/repository.git"
  has loopback "$(git ls-remote "$LOOPBACK/repository.git" 2>&1)" 'refs/heads/main'
  timeout 3 git -c http.proxy= ls-remote "http://git$SLIP/no.git" >/dev/null 2>&1
fi
