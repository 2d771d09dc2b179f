"""Arguments of matplotlib that could be passed by position."""

#: Names of those up to matplotlib 3.1 that no longer can, by function.
BY_POSITION = {
    'matplotlib.axes.Axes.angle_spectrum': 'Fs Fc window pad_to sides',
    'matplotlib.axes.Axes.boxplot':
        'notch sym vert whis positions widths patch_artist bootstrap usermedians '
        'conf_intervals meanline showmeans showcaps showbox showfliers boxprops '
        'labels flierprops medianprops meanprops capprops whiskerprops '
        'manage_ticks autorange zorder',
    'matplotlib.axes.Axes.bxp':
        'widths vert patch_artist shownotches showmeans showcaps showbox '
        'showfliers boxprops whiskerprops flierprops medianprops capprops '
        'meanprops meanline manage_ticks zorder',
    'matplotlib.axes.Axes.cohere':
        'NFFT Fs Fc detrend window noverlap pad_to sides scale_by_freq',
    'matplotlib.axes.Axes.csd':
        'NFFT Fs Fc detrend window noverlap pad_to sides scale_by_freq return_line',
    'matplotlib.axes.Axes.errorbar':
        'ecolor elinewidth capsize barsabove lolims uplims xlolims xuplims '
        'errorevery capthick',
    'matplotlib.axes.Axes.eventplot':
        'orientation lineoffsets linelengths linewidths colors linestyles',
    'matplotlib.axes.Axes.hexbin':
        'gridsize bins xscale yscale extent cmap norm vmin vmax alpha linewidths '
        'edgecolors reduce_C_function mincnt marginals',
    'matplotlib.axes.Axes.hist':
        'range density weights cumulative bottom histtype align orientation '
        'rwidth log color label stacked normed',
    'matplotlib.axes.Axes.hist2d': 'range density weights cmin cmax',
    'matplotlib.axes.Axes.hlines': 'label',
    'matplotlib.axes.Axes.imshow':
        'aspect interpolation alpha vmin vmax origin extent shape filternorm '
        'filterrad imlim resample url',
    'matplotlib.axes.Axes.magnitude_spectrum': 'Fs Fc window pad_to sides scale',
    'matplotlib.axes.Axes.phase_spectrum': 'Fs Fc window pad_to sides',
    'matplotlib.axes.Axes.pie':
        'explode labels colors autopct pctdistance shadow labeldistance startangle '
        'radius counterclock wedgeprops textprops center frame rotatelabels',
    'matplotlib.axes.Axes.psd':
        'NFFT Fs Fc detrend window noverlap pad_to sides scale_by_freq return_line',
    'matplotlib.axes.Axes.scatter':
        'marker cmap norm vmin vmax alpha linewidths verts edgecolors',
    'matplotlib.axes.Axes.specgram':
        'NFFT Fs Fc detrend window noverlap cmap xextent pad_to sides '
        'scale_by_freq mode scale vmin vmax',
    'matplotlib.axes.Axes.spy': 'precision marker markersize aspect origin',
    'matplotlib.axes.Axes.violin': 'vert widths showmeans showextrema showmedians',
    'matplotlib.axes.Axes.violinplot':
        'vert widths showmeans showextrema showmedians points bw_method',
    'matplotlib.axes.Axes.vlines': 'label',
    'matplotlib.axes.Axes.xcorr': 'normed detrend usevlines maxlags',
    'matplotlib.collections.Collection.__init__':
        'edgecolors facecolors linewidths linestyles capstyle joinstyle '
        'antialiaseds offsets transOffset norm cmap pickradius hatch urls '
        'offset_position zorder',
    'matplotlib.collections.EllipseCollection.__init__': 'units',
    'matplotlib.collections.EventCollection.__init__':
        'lineoffset linelength linewidth color linestyle antialiased',
    'matplotlib.collections.LineCollection.__init__':
        'linewidths colors antialiaseds linestyles offsets transOffset norm cmap '
        'pickradius zorder facecolors',
    'matplotlib.collections.PatchCollection.__init__': 'match_original',
    'matplotlib.collections.PolyCollection.__init__': 'closed',
    'matplotlib.collections.RegularPolyCollection.__init__': 'rotation sizes',
    'matplotlib.figure.Figure.__init__':
        'facecolor edgecolor linewidth frameon subplotpars tight_layout '
        'constrained_layout',
    'matplotlib.image.AxesImage.__init__':
        'cmap norm interpolation origin extent filternorm filterrad resample',
    'matplotlib.image.BboxImage.__init__':
        'cmap norm interpolation origin filternorm filterrad resample '
        'interp_at_native',
    'matplotlib.image.FigureImage.__init__': 'cmap norm offsetx offsety origin',
    'matplotlib.image.PcolorImage.__init__': 'cmap norm',
    'matplotlib.legend.Legend.__init__':
        'loc numpoints markerscale markerfirst scatterpoints scatteryoffsets prop '
        'fontsize borderpad labelspacing handlelength handleheight handletextpad '
        'borderaxespad columnspacing ncol mode fancybox shadow title '
        'title_fontsize framealpha edgecolor facecolor bbox_to_anchor '
        'bbox_transform frameon handler_map',
    'matplotlib.lines.Line2D.__init__':
        'linewidth linestyle color marker markersize markeredgewidth '
        'markeredgecolor markerfacecolor markerfacecoloralt fillstyle antialiased '
        'dash_capstyle solid_capstyle dash_joinstyle solid_joinstyle pickradius '
        'drawstyle markevery',
    'matplotlib.offsetbox.AnchoredOffsetbox.__init__':
        'pad borderpad child prop frameon bbox_to_anchor bbox_transform',
    'matplotlib.offsetbox.AnchoredText.__init__': 'pad borderpad prop',
    'matplotlib.offsetbox.AnnotationBbox.__init__':
        'frameon pad annotation_clip box_alignment bboxprops arrowprops fontsize',
    'matplotlib.offsetbox.OffsetImage.__init__':
        'zoom cmap norm interpolation origin filternorm filterrad resample dpi_cor',
    'matplotlib.offsetbox.PaddedBox.__init__': 'draw_frame patch_attrs',
    'matplotlib.offsetbox.TextArea.__init__':
        'textprops multilinebaseline minimumdescent',
    'matplotlib.patches.Arc.__init__': 'angle theta1 theta2',
    'matplotlib.patches.Arrow.__init__': 'width',
    'matplotlib.patches.CirclePolygon.__init__': 'resolution',
    'matplotlib.patches.ConnectionPatch.__init__':
        'axesA axesB arrowstyle arrow_transmuter connectionstyle connector patchA '
        'patchB shrinkA shrinkB mutation_scale mutation_aspect clip_on dpi_cor',
    'matplotlib.patches.Ellipse.__init__': 'angle',
    'matplotlib.patches.FancyArrow.__init__':
        'width length_includes_head head_width head_length shape overhang '
        'head_starts_at_zero',
    'matplotlib.patches.Patch.__init__':
        'edgecolor facecolor color linewidth linestyle antialiased hatch fill '
        'capstyle joinstyle',
    'matplotlib.patches.Polygon.__init__': 'closed',
    'matplotlib.patches.Rectangle.__init__': 'angle',
    'matplotlib.patches.RegularPolygon.__init__': 'radius orientation',
    'matplotlib.patches.Wedge.__init__': 'width',
    'matplotlib.projections.polar.PolarAxes.set_rlim': 'emit auto',
    'matplotlib.pyplot.angle_spectrum': 'Fs Fc window pad_to sides',
    'matplotlib.pyplot.boxplot':
        'notch sym vert whis positions widths patch_artist bootstrap usermedians '
        'conf_intervals meanline showmeans showcaps showbox showfliers boxprops '
        'labels flierprops medianprops meanprops capprops whiskerprops '
        'manage_ticks autorange zorder',
    'matplotlib.pyplot.cohere':
        'NFFT Fs Fc detrend window noverlap pad_to sides scale_by_freq',
    'matplotlib.pyplot.csd':
        'NFFT Fs Fc detrend window noverlap pad_to sides scale_by_freq return_line',
    'matplotlib.pyplot.errorbar':
        'ecolor elinewidth capsize barsabove lolims uplims xlolims xuplims '
        'errorevery capthick',
    'matplotlib.pyplot.eventplot':
        'orientation lineoffsets linelengths linewidths colors linestyles',
    'matplotlib.pyplot.figure': 'facecolor edgecolor frameon FigureClass clear',
    'matplotlib.pyplot.hexbin':
        'gridsize bins xscale yscale extent cmap norm vmin vmax alpha linewidths '
        'edgecolors reduce_C_function mincnt marginals',
    'matplotlib.pyplot.hist':
        'range density weights cumulative bottom histtype align orientation '
        'rwidth log color label stacked normed',
    'matplotlib.pyplot.hist2d': 'range density weights cmin cmax',
    'matplotlib.pyplot.hlines': 'label',
    'matplotlib.pyplot.imshow':
        'aspect interpolation alpha vmin vmax origin extent shape filternorm '
        'filterrad imlim resample url',
    'matplotlib.pyplot.magnitude_spectrum': 'Fs Fc window pad_to sides scale',
    'matplotlib.pyplot.phase_spectrum': 'Fs Fc window pad_to sides',
    'matplotlib.pyplot.pie':
        'explode labels colors autopct pctdistance shadow labeldistance startangle '
        'radius counterclock wedgeprops textprops center frame rotatelabels',
    'matplotlib.pyplot.psd':
        'NFFT Fs Fc detrend window noverlap pad_to sides scale_by_freq return_line',
    'matplotlib.pyplot.scatter':
        'marker cmap norm vmin vmax alpha linewidths verts edgecolors',
    'matplotlib.pyplot.specgram':
        'NFFT Fs Fc detrend window noverlap cmap xextent pad_to sides '
        'scale_by_freq mode scale vmin vmax',
    'matplotlib.pyplot.spy': 'precision marker markersize aspect origin',
    'matplotlib.pyplot.subplots': 'sharex sharey squeeze subplot_kw gridspec_kw',
    'matplotlib.pyplot.tight_layout': 'pad h_pad w_pad rect',
    'matplotlib.pyplot.violinplot':
        'vert widths showmeans showextrema showmedians points bw_method',
    'matplotlib.pyplot.vlines': 'label',
    'matplotlib.pyplot.xcorr': 'normed detrend usevlines maxlags',
    'matplotlib.table.Cell.__init__':
        'edgecolor facecolor fill text loc fontproperties',
    'matplotlib.text.Text.__init__':
        'color verticalalignment horizontalalignment multialignment '
        'fontproperties rotation linespacing rotation_mode usetex wrap',
    'matplotlib.widgets.Cursor.__init__': 'horizOn vertOn useblit',
    'matplotlib.widgets.Lasso.__init__': 'useblit',
    'matplotlib.widgets.LassoSelector.__init__': 'useblit lineprops button',
    'matplotlib.widgets.PolygonSelector.__init__':
        'useblit lineprops markerprops vertex_select_radius',
    'matplotlib.widgets.Slider.__init__':
        'valinit valfmt closedmin closedmax slidermin slidermax dragging valstep '
        'orientation',
    'matplotlib.widgets.SpanSelector.__init__':
        'minspan useblit rectprops onmove_callback span_stays button',
    'matplotlib.widgets.TextBox.__init__': 'color hovercolor label_pad',
    'matplotlib.widgets.ToolHandles.__init__': 'marker marker_props useblit',
}
