/**
 * Whether a browser that govctl starts is one that the person sees, and that reaches this machine's loopback address: not over
 * SSH; elsewhere than on macOS and Windows only under X11 or Wayland.
 */
export function hasBrowser(env: NodeJS.ProcessEnv, platform: string = process.platform): boolean {
  if (env.SSH_CONNECTION || env.SSH_CLIENT || env.SSH_TTY) return false;
  if (platform === 'darwin' || platform === 'win32') return true;
  return Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
}
