//! Pictures of studies as SVG, drawn with plotters, and as PNG.

mod axis;
mod bars;
mod canvas;
mod curve;
mod dots;
mod family;
mod font;
mod frame;
mod front;
mod legend;
mod lines;
mod palette;
mod precision;
mod raster;
mod repeats;
mod roofline;
mod saturation;
mod series;
mod thinned;
mod trend;
mod tuning;

pub use axis::AxisScale;
pub use bars::{Bar, BarsPlot, plot_bars};
pub use canvas::FigureError;
pub use curve::{CurvePlot, plot_curve};
pub use dots::{Dots, DotsPlot, plot_dots};
pub(super) use family::family;
pub use front::front;
pub use lines::{Line, LinesPlot, plot_lines};
pub use precision::precision;
pub use raster::png;
pub(super) use repeats::repeats;
pub use roofline::roofline;
pub use saturation::{Scales, saturation};
pub use trend::{TrendMark, TrendPlot, TrendPoint, plot_trend};
pub use tuning::tuning;
