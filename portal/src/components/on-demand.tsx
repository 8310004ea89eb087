/** Components whose code comes later. Once it is there they show within the same frame: no waiting state that React would hold for a while. */
import { lazy, Suspense, useState, type ComponentType, type ReactNode } from 'react';

export interface OnDemand<P> {
  Component: (props: P) => ReactNode;
  /** Fetches the code; later calls cost nothing. */
  load: () => Promise<ComponentType<P>>;
}

interface OnDemandOptions<P> {
  /** Shown until the code is there. */
  waiting?: (props: P) => ReactNode;
  /** The component when its code came with something else. */
  now?: () => ComponentType<P> | undefined;
}

export function onDemand<P extends object>(fetch: () => Promise<ComponentType<P>>, { waiting, now }: OnDemandOptions<P> = {}): OnDemand<P> {
  let ready: ComponentType<P> | undefined;
  const load = async () => (ready ??= await fetch());
  const Later = lazy(async () => ({ default: await load() })) as unknown as ComponentType<P>;
  function Component(props: P) {
    // Decided once, so that what is shown is not taken down when the code arrives.
    const [Shown] = useState(() => ready ?? now?.() ?? Later);
    return (
      <Suspense fallback={waiting?.(props) ?? null}>
        <Shown {...props} />
      </Suspense>
    );
  }
  return { Component, load };
}
