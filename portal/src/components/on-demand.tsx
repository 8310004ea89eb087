/** Components whose code loads on demand. Loaded code renders at once: React's `lazy` alone would show its fallback first. */
import { lazy, Suspense, useState, type ComponentType, type ReactNode } from 'react';
import { loadCode } from './load-code.ts';

export interface OnDemand<P> {
  Component: (props: P) => ReactNode;
  /** Fetches the code at the first call; further calls return the same component. */
  load: () => Promise<ComponentType<P>>;
}

interface OnDemandOptions<P> {
  /** Shown until the code is loaded. */
  waiting?: (props: P) => ReactNode;
  /** Returns the component when its code is already loaded. */
  now?: () => ComponentType<P> | undefined;
}

export function onDemand<P extends object>(
  importCode: () => Promise<ComponentType<P>>,
  { waiting, now }: OnDemandOptions<P> = {},
): OnDemand<P> {
  let ready: ComponentType<P> | undefined;
  const load = async () => (ready ??= await loadCode(importCode));
  // The props are passed as one object, because the types of React's `lazy` cannot infer the props of a generic component.
  const Later = lazy(async () => {
    const Loaded = await load();
    return { default: ({ props }: { props: P }) => <Loaded {...props} /> };
  });
  const Loading = (props: P) => <Later props={props} />;
  function Component(props: P) {
    // Chosen once, so that React keeps the rendered component when the code arrives.
    const [Shown] = useState(() => ready ?? now?.() ?? Loading);
    return (
      <Suspense fallback={waiting?.(props) ?? null}>
        <Shown {...props} />
      </Suspense>
    );
  }
  return { Component, load };
}
