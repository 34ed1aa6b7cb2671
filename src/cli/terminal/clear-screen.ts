/** Empties a terminal, with what was scrolled out of it, and goes to its first line. */
export const clearScreen = Buffer.from('\u001b[2J\u001b[3J\u001b[H');
