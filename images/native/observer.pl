# What the program of a native run asked for and did not get: connections past the world, which the kernel refuses, and files
# of this machine that a container would not have. Both fail as they would in a container, and without this nobody but the
# program is told. It is the kernel that asks (seccomp's user notifications), one call at a time, before it goes on as if it
# had not asked: nothing is allowed or refused here.
#
# Perl, because it is on nearly every Linux and can make a system call that Node cannot. It answers the kernel, and says what it
# heard, a line each. enter.pl has from here what asks the kernel to ask, as the program, a moment before it is one.
use strict;
use warnings;

# By a call's number, which of its arguments is a path (`paths`), the flags where the second is a path (`stats`), and how a
# file is to be opened (`opens`).
my %CALLS = (
  x86_64 => {
    audit => 0xC000003E, seccomp => 317, pidfd_open => 434, pidfd_getfd => 438, process_vm_readv => 310, openat2 => 437,
    # open, stat, lstat, access, openat, faccessat, openat2, faccessat2; newfstatat, statx
    paths => { 2 => 0, 4 => 0, 6 => 0, 21 => 0, 257 => 1, 269 => 1, 437 => 1, 439 => 1 }, stats => { 262 => 3, 332 => 2 },
    opens => { 2 => 1, 257 => 2 }, connect => 42, sendto => 44,
  },
  aarch64 => {
    audit => 0xC00000B7, seccomp => 277, pidfd_open => 434, pidfd_getfd => 438, process_vm_readv => 270, openat2 => 437,
    # faccessat, openat, openat2, faccessat2; newfstatat, statx
    paths => { 48 => 1, 56 => 1, 437 => 1, 439 => 1 }, stats => { 79 => 3, 291 => 2 },
    opens => { 56 => 2 }, connect => 203, sendto => 206,
  },
);

# <linux/seccomp.h>
use constant {
  SET_MODE_FILTER => 1, FLAG_NEW_LISTENER => 8,
  RET_ALLOW => 0x7FFF0000, RET_USER_NOTIF => 0x7FC00000,
  IOCTL_RECV => 0xC0502100, IOCTL_SEND => 0xC0182101, FLAG_CONTINUE => 1,
  IOCTL_SET_FLAGS => 0x40082104, SYNC_WAKE_UP => 1,
};
# <linux/bpf_common.h>: load a word, jump if it is equal, or has the bit, return; a jump says how many to pass over.
use constant { LOAD => 0x20, EQUAL => 0x15, HAS => 0x45, RETURN => 0x06 };
# <linux/seccomp.h>: where the architecture, the call and its arguments are.
use constant { AT_CALL => 0, AT_ARCHITECTURE => 4, AT_ARGUMENTS => 16, ARGUMENT_BYTES => 8 };
# <linux/openat2.h>, <fcntl.h>: as the program would find it, links and all.
use constant { RESOLVE_IN_ROOT => 0x10, O_PATH => 0x200000, O_CLOEXEC => 0x80000, AT_FDCWD => -100, AT_EMPTY_PATH => 0x1000 };
use constant { O_WRONLY => 1, O_CREAT => 0x40 };
use constant { PATH_BYTES_MAX => 4096, PAGE_BYTES => 4096, PATHS_MAX => 10_000, ENV_BYTES_MAX => 4 * 1024 * 1024 };

my $machine = machine();
my $calls = $CALLS{$machine} or die "nothing is known of the calls of $machine\n";
if (!caller) {
  watch();
  exit 0;
}

sub machine {
  # $Config is not on every system; the kernel's own word for it is.
  open my $file, '<', '/proc/sys/kernel/arch' or return (-e '/lib64/ld-linux-x86-64.so.2' ? 'x86_64' : 'aarch64');
  chomp(my $name = <$file> // '');
  return $name;
}

sub announce {
  my ($keeper) = @_;
  my $listener = listener();
  # What went wrong is the keeper's to say; the program runs all the same.
  syswrite $keeper, $listener < 0 ? "no $!\n" : "fd $listener\n";
}

sub become {
  my ($keeper, @words) = @_;
  my $said = '';
  # Its environment, which would otherwise be this one's too.
  while ($said !~ /\0\0\z/) {
    sysread($keeper, $said, 65_536, length $said) or exit 1;
    exit 1 if length $said > ENV_BYTES_MAX;
  }
  %ENV = map { split /=/, $_, 2 } grep { /\A[^=]+=/ } split /\0/, $said;
  close $keeper;
  no warnings 'exec';
  exec { $words[0] } @words;
  print STDERR "$words[0]: $!\n";
  exit($!{ENOENT} ? 127 : 126);
}

# The number of a descriptor that is gone when the program is.
sub listener {
  my %stats = %{ $calls->{stats} };
  my $argument = sub { AT_ARGUMENTS + ARGUMENT_BYTES * $_[0] };
  my @program = ([LOAD, 0, 0, AT_ARCHITECTURE], [EQUAL, 1, 0, $calls->{audit}], [RETURN, 0, 0, RET_ALLOW], [LOAD, 0, 0, AT_CALL]);
  push @program, map { ([EQUAL, 0, 1, $_], [RETURN, 0, 0, RET_USER_NOTIF]) } sort(keys %{ $calls->{paths} }), $calls->{connect};
  # Most of these ask for a file that is open, and have no path.
  for my $call (sort keys %stats) {
    push @program, [EQUAL, 0, 4, $call], [LOAD, 0, 0, $argument->($stats{$call})], [HAS, 1, 0, AT_EMPTY_PATH];
    push @program, [RETURN, 0, 0, RET_USER_NOTIF], [RETURN, 0, 0, RET_ALLOW];
  }
  # One that names no address goes where its socket is connected to.
  push @program, [EQUAL, 0, 3, $calls->{sendto}], [LOAD, 0, 0, $argument->(4)], [EQUAL, 1, 0, 0], [RETURN, 0, 0, RET_USER_NOTIF];
  push @program, [RETURN, 0, 0, RET_ALLOW];
  my $filter = join '', map { pack 'SCCL', @$_ } @program;
  my $named = pack 'Sx6P', scalar @program, $filter;
  return syscall($calls->{seccomp}, SET_MODE_FILTER, FLAG_NEW_LISTENER, $named);
}

sub watch {
  $| = 1;
  print "ready\n";
  # The program, and its descriptor, are named when they are there.
  my ($pid, $number, $world) = (<STDIN> // exit 0) =~ /(\d+) (\d+) (\S+)/ or exit 1;
  my $process = syscall($calls->{pidfd_open}, $pid + 0, 0);
  my $listener = $process < 0 ? -1 : syscall($calls->{pidfd_getfd}, $process, $number + 0, 0);
  if ($listener < 0) { print "no $!\n"; exit 1 }
  open my $kernel, '+<&=', $listener or die "$!\n";
  opendir my $root, "/proc/$pid/root" or die "$!\n";
  # Kernels that know it answer in half the time.
  ioctl $kernel, IOCTL_SET_FLAGS, SYNC_WAKE_UP;
  my $seen = Seen->new($calls, fileno $root, $world);
  print "watching\n";
  my $asked;
  while (1) {
    $asked = "\0" x 80;
    if (!defined ioctl $kernel, IOCTL_RECV, $asked) {
      # Who asked is gone, or this was disturbed.
      next if $!{EINTR} || ($!{ENOENT} && -e "/proc/$pid");
      last;
    }
    my ($id, $who, undef, $call, undef, undef, @args) = unpack 'QLLlLQQ6', $asked;
    my $opens = $calls->{opens}{$call};
    my $first = $calls->{paths}{$call} // ($calls->{stats}{$call} && 1);
    # Who makes a file, or writes alone, reads nothing.
    if (defined $opens && $args[$opens] & (O_WRONLY | O_CREAT)) { }
    elsif (defined $first) { $seen->path($who, $first ? $args[0] : AT_FDCWD, $args[$first]) }
    elsif ($call == $calls->{connect}) { $seen->address($who, @args[1, 2]) }
    else { $seen->address($who, @args[4, 5]) }
    my $answer = pack 'QqlL', $id, 0, 0, FLAG_CONTINUE;
    ioctl $kernel, IOCTL_SEND, $answer;
  }
}

package Seen;

use Socket qw(AF_INET AF_INET6);

sub new {
  my ($class, $calls, $root, $world) = @_;
  my $address = Socket::inet_pton($world =~ /:/ ? AF_INET6 : AF_INET, $world) // '';
  return bless { calls => $calls, root => $root, world => $address, paths => {} }, $class;
}

# That the program asked for a file: told where this machine has one there and the program has not.
sub path {
  my ($self, $who, $folder, $at) = @_;
  my $path = $self->text($who, $at);
  return if !defined $path || $path eq '' || $path =~ m{^/(?:usr|lib\w*|proc|sys|dev)/};
  if ($path !~ m{^/}) {
    $folder = unpack 'l', pack 'L', $folder & 0xFFFFFFFF;
    my $from = readlink "/proc/$who/" . ($folder == main::AT_FDCWD ? 'cwd' : "fd/$folder");
    # One that is gone has no path, and what is asked for in it none either.
    $path = "$from/$path" if defined $from && $from =~ m{^/} && $from !~ / \(deleted\)\z/;
  }
  my $known = $self->{paths};
  return if exists $known->{$path} || keys %$known >= main::PATHS_MAX;
  $known->{$path} = 1;
  return if $path =~ m{^/} && ($self->is_inside($path) || !-f $path);
  main::say_line('read', $path);
}

sub is_inside {
  my ($self, $path) = @_;
  my $how = pack 'QQQ', main::O_PATH | main::O_CLOEXEC, 0, main::RESOLVE_IN_ROOT;
  my $name = "$path\0";
  my $found = syscall($self->{calls}{openat2}, $self->{root} + 0, $name, $how, 24);
  return 0 if $found < 0;
  # Closed as it goes out of scope.
  return defined open my $file, '<&=', $found;
}

# That it asked for a connection: told where the kernel will refuse it.
sub address {
  my ($self, $who, $at, $length) = @_;
  return if $at == 0 || $length < 8;
  my $bytes = $self->bytes($who, $at, $length > 28 ? 28 : $length) // return;
  my ($family, $port) = unpack 'Sn', $bytes;
  my $allowed;
  if ($family == AF_INET) { $allowed = $self->is_near(unpack 'x4a4', $bytes) }
  elsif ($family == AF_INET6 && length $bytes >= 24) {
    my $address = unpack 'x8a16', $bytes;
    # The unspecified address is this host, as loopback is.
    $allowed = $address =~ /\A\0{15}[\0\1]\z/
      || $address eq $self->{world}
      || ($address =~ /\A\0{10}\xFF\xFF/ && $self->is_near(substr $address, 12));
  }
  else { return }
  return if $allowed;
  my $program = readlink("/proc/$who/exe") // '?';
  $program =~ s{.*/}{}s;
  main::say_line('connect', $port, $who, $program);
}

sub is_near {
  my ($self, $address) = @_;
  my ($first, $second, $third) = unpack 'CCC', $address;
  return $first == 127 || $address eq "\0\0\0\0" || $address eq $self->{world} || ($first == 198 && $second == 19 && $third == 254);
}

# A text of the program's, up to its end.
sub text {
  my ($self, $who, $at) = @_;
  my $text = '';
  while (length $text < main::PATH_BYTES_MAX) {
    # Never over the end of a page: the next may not be there.
    my $more = $self->bytes($who, $at, main::PAGE_BYTES - $at % main::PAGE_BYTES) // return undef;
    my $end = index $more, "\0";
    return $text . substr $more, 0, $end if $end >= 0;
    $text .= $more;
    $at += length $more;
  }
  return undef;
}

sub bytes {
  my ($self, $who, $at, $length) = @_;
  my $bytes = "\0" x $length;
  my $to = pack 'PQ', $bytes, $length;
  my $from = pack 'QQ', $at, $length;
  my $got = syscall($self->{calls}{process_vm_readv}, $who + 0, $to, 1, $from, 1, 0);
  return $got < $length ? undef : $bytes;
}

package main;

# Each word by its bytes, so that a line is a line whatever a file is named.
sub say_line { print join(' ', map { unpack 'H*', $_ } @_), "\n" }

1;
