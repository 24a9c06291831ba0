// Paths of an image, as its build file and its compose file write them.

/** `.` and `..` resolved; of the image's own root there is nothing above. */
export function absolute(path: string, folder: string): string {
  const kept: string[] = [];
  for (const name of `${path.startsWith('/') ? '' : folder}/${path}`.split('/')) {
    if (name === '..') kept.pop();
    else if (name !== '' && name !== '.') kept.push(name);
  }
  return `/${kept.join('/')}`;
}
