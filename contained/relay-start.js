// Starts the relay of a contained run, in the run's own namespaces. Plain JavaScript, so that Node finds the relay itself
// compiled from the time before.
import module from 'node:module';

process.once('message', async make => {
  module.enableCompileCache?.(make.cacheFolder);
  try {
    const { Relay } = await import(make.relay);
    // What listen.pl has opened before, where it could.
    new Relay(process.argv[2] ?? null, make);
  } catch (error) {
    process.stderr.write(`${error.stack}\n`);
    process.exit(1);
  }
});
