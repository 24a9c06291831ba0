# What Python's standard library sees of a world: see client.sh.
import http.client
import os
import ssl
import urllib.error
import urllib.request

env = os.environ


def say(check, saw):
    print("python", check, "yes" if saw else "no", sep="\t", flush=True)


def ask(url, data=None, headers={}):
    try:
        request = urllib.request.Request(url, data=data, headers=headers)
        return urllib.request.urlopen(request, timeout=20).read().decode()
    except urllib.error.HTTPError as error:
        return error.read().decode()
    except Exception as error:
        return repr(error)


say("twin", "/v1/customers" in ask(env["TWIN"], headers={"Authorization": "Bearer sk_test_x"}))
say("refusal", "not-granted" in ask(env["REFUSED"]))
say("grant", "granted hello" in ask(env["GRANTED"] + "/hello"))
binary = {"content-type": "application/octet-stream"}
with open(env["BIG"], "rb") as big:
    say("up", "took 52428800" in ask(env["GRANTED"] + "/up", big.read(), binary))
say("events", "event 3" in ask(env["GRANTED"] + "/events"))
say("trust", "CERTIFICATE_VERIFY_FAILED" in ask(env["UNTRUSTED"] + "/"))
say("loopback", "outside" in ask(env["LOOPBACK"] + "/"))
try:
    direct = http.client.HTTPConnection("python" + env["SLIP"], timeout=3)
    direct.request("GET", "/")
    direct.getresponse().read()
except Exception:
    pass
