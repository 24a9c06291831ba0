<?php
// Loaded by every PHP of a run before its program (auto_prepend_file): what reads URLs by PHP's own streams
// (file_get_contents, fopen, SoapClient) goes through the world's proxy. curl reads the proxy from the environment.
(static function (): void {
    $url = getenv('WRLD_WORLD_PROXY');
    $proxy = $url === false ? false : parse_url($url);
    if ($proxy === false || !isset($proxy['host'], $proxy['port'])) {
        return;
    }
    $http = ['proxy' => "tcp://{$proxy['host']}:{$proxy['port']}", 'request_fulluri' => true];
    if (isset($proxy['user'])) {
        $user = rawurldecode($proxy['user']) . ':' . rawurldecode($proxy['pass'] ?? '');
        $http['header'] = 'Proxy-Authorization: Basic ' . base64_encode($user);
    }
    stream_context_set_default(['http' => $http]);
})();
