# A native run's program whose root is an image's own, which need not have a shell, a linker or any tool of this machine's:
# this process goes into that root, gives up what it may do, and becomes the program. All that it needs for that is loaded
# before it goes, and nothing of this machine's is seen from where it is then.
#
#   enter.pl <observer.pl> <how> <where> <uid> <gid> <processes> <memory> <working folder> <observed> <word>…
#
# <how> is `root`: <where> is a folder that something is mounted on; or `join`: beside the process of that number. Descriptor 3
# has the program's environment, and hears whether the kernel will tell what it asks for, where <observed> is 1.
use strict;
use warnings;

my %NUMBERS = (
  x86_64 => { pivot_root => 155, umount2 => 166, unshare => 272, setns => 308, prctl => 157, prlimit => 302 },
  aarch64 => { pivot_root => 41, umount2 => 39, unshare => 97, setns => 268, prctl => 167, prlimit => 261 },
);
# <linux/sched.h>, <linux/mount.h>, <linux/prctl.h>, <linux/resource.h>
use constant { NEW_MOUNTS => 0x20000, NEW_USER => 0x10000000, DETACH => 2, NO_NEW_PRIVILEGES => 38, DROP_BOUNDING => 24 };
use constant { LIMIT_DATA => 2, LIMIT_CORE => 4, LIMIT_PROCESSES => 6, CAPABILITIES_MAX => 64, KEEPER => 3 };

my ($observer, $how, $where, $uid, $gid, $processes, $memory, $folder, $observed, @words) = @ARGV;
require $observer;
my $numbers = $NUMBERS{ machine() } or die "nothing is known of the calls of this machine\n";
open my $keeper, '+<&=', KEEPER or die "$!\n";

sub call {
  my ($name, @arguments) = @_;
  return if syscall($numbers->{$name}, @arguments) == 0;
  die "$name: $!\n";
}

sub limit {
  my ($what, $most) = @_;
  my $both = pack 'QQ', $most, $most;
  call('prlimit', 0, $what, $both, 0);
}

sub map_id {
  my ($file, $text) = @_;
  open my $map, '>', "/proc/self/$file" or die "$file: $!\n";
  syswrite($map, $text) // die "$file: $!\n";
}

if ($how eq 'root') {
  call('unshare', NEW_MOUNTS);
  chdir $where or die "$where: $!\n";
  # The old root lies over the new one then, and is the one that is taken away.
  my ($new, $old) = (".\0", ".\0");
  call('pivot_root', $new, $old);
  call('umount2', $old, DETACH);
  chdir '/' or die "$!\n";
}
else {
  open my $mounts, '<', "/proc/$where/ns/mnt" or die "$!\n";
  call('setns', fileno $mounts, NEW_MOUNTS);
}
limit(LIMIT_PROCESSES, $processes);
limit(LIMIT_DATA, $memory);
limit(LIMIT_CORE, 0);
my ($own_uid, $own_gid) = ($> + 0, $) + 0);
call('unshare', NEW_USER);
map_id('setgroups', 'deny');
map_id('uid_map', "$uid $own_uid 1");
map_id('gid_map', "$gid $own_gid 1");
chdir $folder or die "$folder: $!\n";
call('prctl', NO_NEW_PRIVILEGES, 1, 0, 0, 0);
# Those that this kernel does not know end the list.
for my $capability (0 .. CAPABILITIES_MAX - 1) {
  last if syscall($numbers->{prctl}, DROP_BOUNDING, $capability, 0, 0, 0) != 0;
}
announce($keeper) if $observed;
become($keeper, @words);
