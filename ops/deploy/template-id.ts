/** Whether a database still has the id that it has in the template: all zeros, until one was created. */
export const isOfTemplate = (id: string | undefined) => id === undefined || /^[0-]*$/.test(id);
