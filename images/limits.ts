// Every bound of what is read of images and of how they run natively, with its unit.

/** A build file or a compose file; the longest that people write has some thousand lines. */
export const IMAGE_FILE_BYTES_MAX: number = 1024 * 1024;
/** A file of variables (`env_file`, `.env`). */
export const ENV_FILE_BYTES_MAX: number = 256 * 1024;
/** Lines of one value in such a file. */
export const ENV_VALUE_LINES_MAX = 200;
/** Instructions of a build file. */
export const INSTRUCTIONS_MAX = 5_000;
/** Text that a variable or a word may grow to: `ENV A=$A$A` doubles it. Characters. */
export const VALUE_CHARS_MAX: number = 32 * 1024;
/** Defaults within defaults: `${A:-${B:-…}}`. */
export const VARIABLE_DEPTH_MAX = 16;
/** Nodes of a compose file, each alias counted as all that it stands for. */
export const COMPOSE_NODES_MAX = 20_000;
/** Its words and signs, as its text has them; a value takes three or four. */
export const COMPOSE_TOKENS_MAX = 150_000;
/** Levels of a compose file. */
export const COMPOSE_DEPTH_MAX = 32;
/** Compose files that are read as one. */
export const COMPOSE_FILES_MAX = 16;
/** Services that extend one another, one after another. */
export const EXTENDS_DEPTH_MAX = 16;
/** Services of a project. */
export const SERVICES_MAX = 200;
/** Ports that an image or a service names; a range names each of its own. */
export const PORTS_MAX = 256;
/** Instructions of one image that copy or run, with those of the stages under it. */
export const MAKES_MAX = 512;
/** Mounts of one service, and volumes of one image. */
export const MOUNTS_MAX = 256;
/** What is not understood that is named; the rest is counted. */
export const NOTES_MAX = 100;
/** Links on the way to one path; the kernel's own bound. */
export const LINKS_MAX = 40;
/** All that a run may write, in memory; a volume or a temporary file counts. */
export const ROOT_BYTES_MAX: number = 1024 * 1024 * 1024;
/** All that one RUN may write, in memory: what it installs is kept when it has ended. */
export const STEP_BYTES_MAX: number = 4 * 1024 * 1024 * 1024;
/** Processes and threads of a run, unless its service says so. */
export const PROCESSES_MAX = 1_024;
/** What each process of a run may have of memory, unless its service says so. Bytes. */
export const MEMORY_BYTES_MAX: number = 4 * 1024 * 1024 * 1024;
/** How long a run may take, unless it is told. Seconds. */
export const RUN_SECONDS_MAX: number = 24 * 60 * 60;
/** For its namespaces to be there. Milliseconds. */
export const NATIVE_START_MS_MAX = 15_000;
/** What its namespaces' own programs say, kept for the line that says why there are none. */
export const NATIVE_SAID_CHARS_MAX = 2_000;
/** Written paths that are told one by one. */
export const KEPT_PATHS_MAX = 50;
/** Files that one instruction copies one by one, by a pattern. */
export const COPIED_FILES_MAX = 1_000;
/** Between a polite end and a certain one. Milliseconds. */
export const END_MS_MAX = 5_000;
/** A `.dockerignore`. */
export const IGNORE_FILE_BYTES_MAX: number = 256 * 1024;
/** Its patterns, and the length of one. */
export const IGNORE_PATTERNS_MAX = 2_000;
export const IGNORE_PATTERN_CHARS_MAX = 1_024;
/** Letters of paths that its patterns are held against, each as often as a pattern may be in as many places: some seconds. */
export const IGNORE_STEPS_MAX = 100_000_000;
/** Files and folders of a build context that are looked at for what it ignores. */
export const CONTEXT_ENTRIES_MAX = 200_000;
/** What it ignores in one folder that is copied; a folder counts once. */
export const IGNORED_PATHS_MAX = 20_000;
/** `index.json`, a manifest or a config of an image that is built already. */
export const IMAGE_DOCUMENT_BYTES_MAX: number = 4 * 1024 * 1024;
/** Files of an archive that an image is in, and the length of a path there. */
export const ARCHIVE_ENTRIES_MAX = 20_000;
export const ARCHIVE_PATH_BYTES_MAX = 4_096;
/** Manifests that one index names, and indexes in indexes. */
export const MANIFESTS_MAX = 1_000;
export const INDEX_DEPTH_MAX = 4;
/** Layers of one image. */
export const LAYERS_MAX = 512;
/** What the layers of one image hold together, unpacked: bytes, and files and folders. */
export const UNPACKED_BYTES_MAX: number = 16 * 1024 * 1024 * 1024;
export const UNPACKED_ENTRIES_MAX = 2_000_000;
/** An image's own list of its users, or of their groups. */
export const ACCOUNTS_BYTES_MAX: number = 1024 * 1024;
/** How long the files of an image are kept that nobody runs, unpacked or built. Days. */
export const KEPT_FOLDER_DAYS = 30;
/** How often what is in the way of such files is put away: more only where something puts it back. */
export const PLACE_TRIES_MAX = 4;
