/** Returns false if the browser refuses. Pages on plain HTTP have no clipboard. */
export const copyText = async (text: string): Promise<boolean> => {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
};
