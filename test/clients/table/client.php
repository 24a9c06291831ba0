<?php
// What PHP's streams see of a world: see client.sh. Each check is a process of its own: a stream context keeps the name of
// its first TLS host.
function ask(string $url, ?string $body = null): string
{
    $http = ['ignore_errors' => true, 'timeout' => 20, 'header' => "Authorization: Bearer sk_test_x\r\n"];
    if ($body !== null) {
        $http = ['method' => 'POST', 'content' => $body] + $http;
        $http['header'] .= "Content-Type: application/octet-stream\r\n";
    }
    stream_context_set_default(['http' => $http]);
    return (string) @file_get_contents($url);
}

$granted = getenv('GRANTED');
$check = $argv[1];
$saw = match ($check) {
    'twin' => str_contains(ask(getenv('TWIN')), '/v1/customers'),
    'refusal' => str_contains(ask(getenv('REFUSED')), 'not-granted'),
    'grant' => str_contains(ask("$granted/hello"), 'granted hello'),
    'up' => str_contains(ask("$granted/up", file_get_contents(getenv('BIG'))), 'took 52428800'),
    'events' => str_contains(ask("$granted/events"), 'event 3'),
    'trust' => ask(getenv('UNTRUSTED') . '/') === '' && str_contains(error_get_last()['message'] ?? '', 'file_get_contents'),
    'loopback' => str_contains(ask(getenv('LOOPBACK') . '/'), 'outside'),
    'slip' => @file_get_contents('http://php' . getenv('SLIP') . '/', false, stream_context_create(['http' => ['timeout' => 3]])) !== false,
};
if ($check !== 'slip') {
    echo "php\t$check\t", $saw ? 'yes' : 'no', "\n";
}
