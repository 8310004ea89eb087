/** Components whose code loads later. After that they render at once: React would show the fallback again. */
import { createElement, Suspense, use, useState, type ComponentType, type ReactNode } from 'react';

export interface OnDemand<P> {
  Component: (props: P) => ReactNode;
  /** Fetches the code; later calls cost nothing. */
  load: () => Promise<ComponentType<P>>;
}

interface OnDemandOptions<P> {
  /** Shown until the code is there. */
  waiting?: (props: P) => ReactNode;
  /** Returns the component when other code already loaded it. */
  now?: () => ComponentType<P> | undefined;
}

export function onDemand<P extends object>(fetch: () => Promise<ComponentType<P>>, { waiting, now }: OnDemandOptions<P> = {}): OnDemand<P> {
  let ready: ComponentType<P> | undefined;
  const load = async () => (ready ??= await fetch());
  let loading: Promise<ComponentType<P>> | undefined;
  // Not `lazy` of the library, whose types lose the properties; the promise is made once, so the component stays the same.
  const Later = (props: P) => createElement(use((loading ??= load())), props);
  function Component(props: P) {
    // Chosen once, so that React keeps the rendered component when the code arrives.
    const [Shown] = useState(() => ready ?? now?.() ?? Later);
    return (
      <Suspense fallback={waiting?.(props) ?? null}>
        <Shown {...props} />
      </Suspense>
    );
  }
  return { Component, load };
}
