"use strict";
// Draws the graph; the list beside it has the same nodes, for keys and screen readers.

const KINDS = {
  semantic: ["--accent", "ellipse"],
  procedural: ["--good", "diamond"],
  episodic: ["--warn", "triangle"],
  entity: ["--bad", "pentagon"],
  topic: ["--soft", "round-rectangle"],
  about: ["--text", "hexagon"],
};

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function style() {
  return [
    { selector: "node", style: {
      label: "data(label)", "font-size": 11, "min-zoomed-font-size": 10.5, color: colour("--text"),
      "text-wrap": "ellipsis", "text-max-width": 130, "text-valign": "bottom", "text-margin-y": 3,
      "text-background-color": colour("--ground"), "text-background-opacity": 0.8,
      width: "mapData(degree, 0, 20, 14, 40)", height: "mapData(degree, 0, 20, 14, 40)",
    } },
    ...Object.entries(KINDS).map(([kind, [name, shape]]) => (
      { selector: `node[kind = "${kind}"]`, style: { "background-color": colour(name), shape } }
    )),
    { selector: "node[?start]", style: { "border-width": 4, "border-color": colour("--mark"), width: 34, height: 34 } },
    { selector: "node.far", style: { label: "" } },
    { selector: "node:selected", style: { label: "data(label)", "border-width": 4, "border-color": colour("--accent"), "min-zoomed-font-size": 0, "z-index": 9 } },
    { selector: "edge", style: {
      width: 1.2, "line-color": colour("--line-strong"), opacity: 0.6, "curve-style": "straight",
      "target-arrow-shape": "triangle", "target-arrow-color": colour("--line-strong"), "arrow-scale": 0.7,
    } },
    { selector: 'edge[kind = "in"], edge[kind = "about"]', style: { "target-arrow-shape": "none", "line-style": "dashed", opacity: 0.35 } },
    { selector: 'edge[kind = "contradicts"]', style: { "line-color": colour("--bad"), "target-arrow-color": colour("--bad"), opacity: 1 } },
    { selector: ".near", style: {
      label: "data(kind)", "font-size": 9, color: colour("--soft"), opacity: 1,
      "text-background-color": colour("--ground"), "text-background-opacity": 0.9,
    } },
  ];
}

function draw(place, data) {
  const degrees = new Map();
  for (const { source, target } of data.edges) {
    for (const end of [source, target]) degrees.set(end, (degrees.get(end) || 0) + 1);
  }
  const graph = cytoscape({
    container: place,
    elements: [
      ...data.nodes.map((node) => ({ data: { ...node, degree: Math.min(20, degrees.get(node.id) || 0) } })),
      ...data.edges.map((edge) => ({ data: edge })),
    ],
    style: style(),
    layout: {
      name: "cose", animate: false, randomize: true, padding: 24, componentSpacing: 60,
      nodeRepulsion: 60000, idealEdgeLength: 70, numIter: data.nodes.length > 200 ? 300 : 800,
    },
    minZoom: 0.05, maxZoom: 4,
  });
  // Topics and entities are the landmarks: their names can be read before zooming in.
  const scale = 1 / Math.min(1, graph.zoom());
  graph.nodes('[kind = "topic"], [kind = "about"]').style({
    "font-size": 11 * scale, "text-max-width": 130 * scale, "min-zoomed-font-size": 0, "z-index": 5,
  });
  // The names of memories are hidden until they can be read.
  const memories = graph.nodes('[kind != "topic"][kind != "about"]');
  const hide = () => memories.toggleClass("far", memories.length > 30 && graph.zoom() < 0.9);
  hide();
  graph.on("zoom", hide);
  graph.on("select", "node", (event) => {
    const node = event.target;
    graph.edges().removeClass("near");
    node.connectedEdges().addClass("near");
    const link = document.createElement("a");
    link.href = node.data("path");
    link.textContent = node.data("label");
    document.getElementById("graph-node").replaceChildren(link);
  });
  document.addEventListener("focusin", (event) => {
    const id = event.target.dataset && event.target.dataset.node;
    if (!id) return;
    graph.nodes().unselect();
    const node = graph.getElementById(id);
    node.select();
    graph.center(node);
  });
  document.addEventListener("click", (event) => {
    const zoom = event.target.dataset && event.target.dataset.zoom;
    if (zoom === "fit") graph.fit(undefined, 24);
    else if (zoom) graph.zoom({ level: graph.zoom() * Number(zoom), renderedPosition: { x: place.clientWidth / 2, y: place.clientHeight / 2 } });
  });
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => graph.style(style()));
}

const place = document.getElementById("graph");
if (place) {
  fetch(place.dataset.source)
    .then((answer) => { if (!answer.ok) throw new Error(String(answer.status)); return answer.json(); })
    .then((data) => draw(place, data))
    .catch(() => { document.getElementById("graph-node").textContent = "The graph could not be drawn; the list has its nodes."; });
}
