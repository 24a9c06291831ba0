// The same for a process that is started with `--import`.
import './register.cjs';
