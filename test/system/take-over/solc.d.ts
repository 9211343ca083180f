declare module 'solc' {
  const solc: {
    /** Compiles the standard JSON input and returns the standard JSON output. */
    compile(input: string, callbacks: { import(path: string): { contents: string } }): string;
  };
  export default solc;
}
