// The network of a contained run: the program's namespace has one link, to an outer namespace where every address there
// is is local, so that an ordinary listener accepts a connection to any of them and its own end says which was meant.
// Two namespaces, and not one, because a listener on a port of every address would take that port from the program.
import { INNER, OUTER } from './addresses.ts';
import type { GateAsk } from './messages.ts';

const LINK = 'wrld0';
/** As the only one has everywhere; some programs look for it. */
const LINK_INSIDE = 'eth0';
/** That of loopback, whose packets it stands in for. */
const MTU = 65_535;

/** What the script says when the link and its routes are there. */
export const LINKED = 'linked';

/**
 * A shell script for the outer namespace, which makes the link: `$1` is the file of the program's namespace. Needs `ip` and
 * `nsenter`. Where it ends without a word, standard error says why.
 */
export const LINK_SCRIPT: string = `
inner=$1
ip -batch - <<E || exit 1
link set lo up
link add ${LINK} address ${OUTER.mac} mtu ${MTU} type veth peer name ${LINK_INSIDE} address ${INNER.mac} mtu ${MTU} netns $inner
address add ${OUTER.v4}/32 dev ${LINK}
link set ${LINK} up
route add ${INNER.v4}/32 dev ${LINK} table local
neigh add ${INNER.v4} lladdr ${INNER.mac} dev ${LINK} nud permanent
route add local 0.0.0.0/1 dev lo
route add local 128.0.0.0/1 dev lo
E
ip -force -batch - 2>/dev/null <<E
address add ${OUTER.v6}/128 dev ${LINK} nodad
route add ${INNER.v6}/128 dev ${LINK} table local
neigh add ${INNER.v6} lladdr ${INNER.mac} dev ${LINK} nud permanent
route add local ::/0 dev lo
E
nsenter --net=$inner ip -batch - <<E || exit 1
link set lo up
link set ${LINK_INSIDE} up
address add ${INNER.v4}/32 dev ${LINK_INSIDE}
route add ${OUTER.v4}/32 dev ${LINK_INSIDE}
neigh add ${OUTER.v4} lladdr ${OUTER.mac} dev ${LINK_INSIDE} nud permanent
route add default via ${OUTER.v4} dev ${LINK_INSIDE}
E
nsenter --net=$inner ip -force -batch - 2>/dev/null <<E
address add ${INNER.v6}/128 dev ${LINK_INSIDE} nodad
route add ${OUTER.v6}/128 dev ${LINK_INSIDE}
neigh add ${OUTER.v6} lladdr ${OUTER.mac} dev ${LINK_INSIDE} nud permanent
route add default via ${OUTER.v6} dev ${LINK_INSIDE}
E
{ echo 0 > /proc/sys/net/ipv4/icmp_ratelimit; } 2>/dev/null
{ echo 1 > /proc/sys/net/ipv6/ip_nonlocal_bind; } 2>/dev/null
echo ${LINKED}
`;

/** Answered at once, on top of what the configuration names. */
const USUAL_PORTS: readonly number[] = [
  22, 25, 53, 80, 110, 143, 389, 443, 465, 587, 636, 853, 993, 995, 1433, 1521, 2525, 3000, 3306, 4222, 4317,
  4318, 5000, 5432, 5671, 5672, 6379, 6380, 7687, 8000, 8080, 8088, 8443, 8883, 9000, 9042, 9092, 9200, 9418,
  9443, 11211, 26257, 27017,
];

/** Resolvers that programs ask by their address, whatever the system's settings say. */
const KNOWN_RESOLVERS: readonly string[] = [
  '1.0.0.1',
  '1.1.1.1',
  '8.8.4.4',
  '8.8.8.8',
  '9.9.9.9',
  '149.112.112.112',
  '208.67.220.220',
  '208.67.222.222',
  '2001:4860:4860::8844',
  '2001:4860:4860::8888',
  '2606:4700:4700::1001',
  '2606:4700:4700::1111',
];

/** What is answered for in every run, on a machine that has these resolvers. */
export function firstAsk(resolvers: readonly string[]): GateAsk {
  return { tcp: USUAL_PORTS, udp: [...new Set([OUTER.v4, ...KNOWN_RESOLVERS, ...resolvers])], last: false };
}
