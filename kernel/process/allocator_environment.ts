// The variables with which the kernel's own process is started, for its memory allocator. Knows nothing of what it allocates.

/**
 * glibc maps blocks of 64 kB and more on their own and gives them back to the system when they are freed. Without it a client
 * that reads slowly leaves the kernel 130 MB larger for good: its thousand messages of 131 kB lie between blocks that stay.
 * macOS has another allocator and ignores it.
 */
export const KERNEL_ENVIRONMENT = { MALLOC_MMAP_THRESHOLD_: "65536" } as const;

/** The session does not inherit it: each tensor of 64 kB on the CPU would be mapped anew, page by page. */
export function keepFromChildren(): void {
  for (const [name, value] of Object.entries(KERNEL_ENVIRONMENT))
    if (process.env[name] === value) delete process.env[name];
}
