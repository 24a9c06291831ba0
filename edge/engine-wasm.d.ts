// Beside the worker (scripts/edge-bundle.ts): compiled by the platform.
declare module '@jitl/quickjs-wasmfile-release-sync/wasm' {
  const module: WebAssembly.Module;
  // biome-ignore lint/style/noDefaultExport: that is what a module of WebAssembly is
  export default module;
}
