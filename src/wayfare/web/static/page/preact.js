// Preact, its hooks and htm, which the scripts in vendor/ put at the disposal of the whole page.

const { preact, preactHooks, htm } = globalThis;

export const { render } = preact;
export const { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } = preactHooks;
/** Make what is to be drawn out of a template that reads like HTML. */
export const html = htm.bind(preact.h);
