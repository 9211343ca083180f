declare module 'solc' {
  const solc: {
    /** Compiles the standard JSON input and returns the standard JSON output. */
    compile(input: string, callbacks: { import(path: string): { contents: string } | { error: string } }): string;
    /** The version with the commit and the platform. */
    version(): string;
  };
  export default solc;
}
