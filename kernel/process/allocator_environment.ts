// The environment variables that set the memory allocator of the kernel process.

/**
 * With this, glibc maps each block of 64 kB or more separately, and returns it to the system when it is freed.
 * Otherwise a client that reads slowly leaves the kernel 130 MB larger for good: its thousand messages of 131 kB lie
 * between blocks that stay. macOS has another allocator, which ignores the variable.
 */
export const KERNEL_ENVIRONMENT = { MALLOC_MMAP_THRESHOLD_: "65536" } as const;

/** The session must not inherit the variable: each CPU tensor of 64 kB would be mapped anew, page by page. */
export function keepFromChildren(): void {
  for (const [name, value] of Object.entries(KERNEL_ENVIRONMENT))
    if (process.env[name] === value) delete process.env[name];
}
