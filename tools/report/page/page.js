/* Sorting of tables by a click on a head, and time series that can be zoomed. The page is complete without it. */
(function () {
  "use strict";
  document.querySelectorAll("table").forEach(function (table) {
    var body = table.tBodies[0];
    Array.prototype.forEach.call(table.tHead.rows[0].cells, function (head, column) {
      if (head.textContent === "time" && !head.classList.contains("n")) return;
      head.classList.add("sorts");
      head.addEventListener("click", function () {
        var down = head.dataset.order !== "down";
        var rows = Array.prototype.map.call(body.rows, function (row) { return row; });
        head.dataset.order = down ? "down" : "up";
        rows.sort(function (a, b) {
          var x = a.cells[column], y = b.cells[column];
          var order = x.dataset.v !== undefined ? Number(x.dataset.v) - Number(y.dataset.v)
                                                : x.textContent.localeCompare(y.textContent);
          return down ? -order : order;
        });
        rows.forEach(function (row) { body.appendChild(row); });
      });
    });
  });
  if (typeof uPlot === "undefined") return;
  function color(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  }
  document.querySelectorAll(".chart").forEach(function (chart) {
    var data = JSON.parse(chart.querySelector("script").textContent), picture = chart.querySelector("svg"), plot = null;
    var isOne = data[1].every(function (value, i) { return value === data[2][i]; });
    var last = data[0][data[0].length - 1], unit = last > 2e7 ? ["s", 1e6] : last > 2e4 ? ["ms", 1e3] : ["µs", 1];
    data[0] = data[0].map(function (t) { return t / unit[1]; });
    picture.style.display = "none";
    function draw() {
      var axis = { stroke: color("--fg"), grid: { stroke: color("--line"), width: 1 }, ticks: { stroke: color("--line"), width: 1 } };
      if (plot) plot.destroy();
      plot = new uPlot({
        width: chart.clientWidth - 16, height: 240, scales: { x: { time: false }, y: { range: function (u, low, high) { return [0, high > 0 ? high * 1.05 : 1]; } } },
        axes: [Object.assign({ label: "time (" + unit[0] + ")" }, axis), Object.assign({ label: chart.dataset.label, size: 70 }, axis)],
        series: isOne ? [{ label: unit[0] }, { label: chart.dataset.label, stroke: color("--exposed"), width: 1.5 }]
                      : [{ label: unit[0] },
                         { label: "mean", stroke: color("--accent"), width: 1 },
                         { label: "largest", stroke: color("--exposed"), width: 1.5 }]
      }, isOne ? [data[0], data[2]] : data, chart);
    }
    var fold = chart.closest("details");
    if (fold && !fold.open) fold.addEventListener("toggle", function () { if (!plot) draw(); }); else draw();
    window.addEventListener("resize", function () { if (plot) plot.setSize({ width: chart.clientWidth - 16, height: 240 }); });
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", function () { if (plot) draw(); });
  });
})();
