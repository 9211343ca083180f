/** Wrangler imports a file of this kind as its text. */
declare module '*.txt' {
  const text: string;
  export default text;
}
