/** A LIKE pattern that matches anywhere in a text; wildcards in the input are escaped. */
export const containing = (text: string) => `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
