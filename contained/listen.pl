# The listeners of a contained run, opened before its relay is there. This process is in the outer namespace, where every
# address is to be the machine's own: it has the link made meanwhile, opens what answers, and becomes the relay, in the
# program's namespace, which finds each listener as a descriptor that it was born with.
#
#   listen.pl <inner> <link> <backlog> <TCP ports> <UDP addresses> <word>…
#
# <inner> is the descriptor of the program's namespace, <link> the script that makes the link to it; lists have commas. What
# this becomes gets a last word: `linked=<descriptor> outer=<descriptor> tcp:<port>=<descriptor>… udp4=<descriptor>…`.
use strict;
use warnings;

# All that is opened here is there in what this becomes.
$^F = 1_000_000;
# <sys/socket.h>, <netinet/in.h>, <bits/in.h>: the same on every machine that Linux runs on here.
use constant { INET => 2, INET6 => 10, STREAM => 1, DATAGRAM => 2, SOCKETS => 1, REUSE_ADDRESS => 2 };
use constant { SET_INTERFACE_FLAGS => 0x8914, UP => 1 };
use constant { IP => 0, IP_FREE_BIND => 15, IPV6 => 41, IPV6_ONLY => 26, IPV6_FREE_BIND => 78, DNS_PORT => 53 };

my ($inner, $link, $backlog, $ports, $addresses, @words) = @ARGV;
my (@open, @given);

sub given {
  my ($name, $handle) = @_;
  push @open, $handle;
  push @given, "$name=" . fileno $handle;
}

sub four { pack 'S n a4 x8', INET, @_ }
sub six { pack 'S n N a16 N', INET6, $_[0], 0, $_[1], 0 }

# By its text; nothing where it is none.
sub address_of {
  my ($text) = @_;
  return pack 'C4', split /\./, $text if $text =~ /^\d+(?:\.\d+){3}$/;
  my ($head, $tail) = map { [split /:/] } split /::/, $text, 2;
  my @groups = (@{ $head // [] }, (0) x ($tail ? 8 - @$head - @$tail : 0), @{ $tail // [] });
  return @groups == 8 && !grep({ !/^[0-9a-f]{1,4}$/i } @groups) ? pack('n8', map { hex } @groups) : undef;
}

# Its parent is nobody that would have to wait for it.
sub make_link {
  my ($say) = @_;
  my $first = fork // die "$!\n";
  return waitpid $first, 0 if $first;
  my $second = fork // die "$!\n";
  exit 0 if $second;
  open STDOUT, '>&', $say or die "$!\n";
  exec 'sh', '-c', $link, 'sh', "/proc/self/fd/$inner" or die "sh: $!\n";
}

sub listen_on {
  my ($port) = @_;
  for my $both (1, 0) {
    socket(my $socket, $both ? INET6 : INET, STREAM, 0) or next;
    setsockopt $socket, SOCKETS, REUSE_ADDRESS, 1;
    setsockopt $socket, IPV6, IPV6_ONLY, 0 if $both;
    bind($socket, $both ? six($port, "\0" x 16) : four($port, "\0" x 4)) && listen $socket, $backlog or next;
    return given("tcp:$port", $socket);
  }
}

# A network without any address of its own takes all others for those of a broadcast, from which nobody answers.
sub raise_loopback {
  socket(my $socket, INET, DATAGRAM, 0) or return;
  my $up = pack 'a16 s x22', 'lo', UP;
  ioctl $socket, SET_INTERFACE_FLAGS, $up;
}

# The address is there when the link is.
sub answer_at {
  my $address = address_of($_[0]) // return;
  my $is_six = length $address == 16;
  socket(my $socket, $is_six ? INET6 : INET, DATAGRAM, 0) or return;
  if ($is_six) { setsockopt $socket, IPV6, IPV6_FREE_BIND, 1 }
  else { setsockopt $socket, IP, IP_FREE_BIND, 1 }
  bind($socket, $is_six ? six(DNS_PORT, $address) : four(DNS_PORT, $address)) or return;
  given($is_six ? 'udp6' : 'udp4', $socket);
}

pipe my $linked, my $say or die "$!\n";
make_link($say);
close $say;
given('linked', $linked);
open my $outer, '<', '/proc/self/ns/net' or die "$!\n";
given('outer', $outer);
raise_loopback();
listen_on($_) for split /,/, $ports;
answer_at($_) for split /,/, $addresses;
exec 'nsenter', "--net=/proc/self/fd/$inner", '--', @words, "@given" or die "nsenter: $!\n";
