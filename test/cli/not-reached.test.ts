// What is said in the end of a run that was not contained, by the program that it was.
import t from 'tap';
import { notReached } from '../../cli/not-reached.ts';

t.test('[7.1] by language, and in general for all others', async t => {
  for (const [program, what] of [
    ['node', /of node, .* native addons/],
    ['/usr/bin/python3.11', /of python3\.11, .* in C .*pycurl/],
    ['pytest', /in C .*pycurl/],
    ['bundle', /extensions in C .*curb/],
    ['php8.2', /context of their own/],
    ['/opt/jdk/bin/java', /told to use no proxy, and sockets/],
    ['./bin/shop', /of shop, .*read no variables/],
    ['curl', /read no variables/],
  ] as const)
    t.match(notReached(program), what, program);
});
