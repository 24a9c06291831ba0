import type { Processor } from '../ports/processor.ts';

export const processor: Processor = {
  spent: () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  },
};
