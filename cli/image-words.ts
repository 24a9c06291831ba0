// What a container runtime gives every image's program, whatever the image says.

/** As a container runtime sets it. */
export const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

export function hostOf(name: string): string {
  return (
    name
      .toLowerCase()
      .replace(/[^a-z0-9-]+/g, '-')
      .slice(0, 63)
      .replace(/^-+|-+$/g, '') || 'image'
  );
}
