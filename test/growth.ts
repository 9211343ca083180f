/**
 * Returns how many times longer the work takes on an input that is four times as large: about 4 for linear work, 16 for quadratic. Takes
 * the shortest of several times, because a busy machine only adds to one.
 * @param size The smaller size. Choose it so that quadratic work on it would take milliseconds.
 */
export function growthOf(work: (size: number) => unknown, size: number): number {
  const shortest = (of: number) => {
    const times = Array.from({ length: 5 }, () => {
      const begun = performance.now();
      work(of);
      return performance.now() - begun;
    });
    return Math.max(Math.min(...times), 0.05);
  };
  return shortest(size * 4) / shortest(size);
}
