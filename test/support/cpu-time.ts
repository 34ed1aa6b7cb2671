/** Milliseconds of this process's work since it was called: unlike the time that passes, the same on a busy machine. */
export function startCpuTime(): () => number {
  const start = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1_000;
  };
}
